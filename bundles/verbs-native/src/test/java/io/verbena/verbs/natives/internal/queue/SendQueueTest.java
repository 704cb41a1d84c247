package io.verbena.verbs.natives.internal.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.verbs.Completion;
import io.verbena.verbs.Completion.Status;
import io.verbena.verbs.RdmaConnection;
import io.verbena.verbs.RdmaException;
import io.verbena.verbs.RdmaException.Kind;
import io.verbena.verbs.natives.internal.library.Ibverbs;
import io.verbena.verbs.natives.internal.memory.MemoryWindows;
import io.verbena.verbs.natives.internal.struct.Layout;
import io.verbena.verbs.natives.internal.struct.NativeConstants;
import io.verbena.verbs.natives.internal.struct.NativeMemory;
import io.verbena.verbs.natives.internal.struct.SendRequests;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the send queue counts, chains and completes, over a library that records its calls. */
class SendQueueTest {
    private static final int MORE = RdmaConnection.MORE;
    private static final int UNSIGNALED = RdmaConnection.UNSIGNALED;

    private final SendRequests chain = new SendRequests(8, 0);
    private final List<Integer> chains = new ArrayList<>();
    private final List<Integer> flags = new ArrayList<>();
    private final List<Long> sources = new ArrayList<>();
    private final List<Long> freed = new ArrayList<>();
    private final List<RdmaException> failures = new ArrayList<>();
    private final Completion[] told = {new Completion(), new Completion(), new Completion(), new Completion()};
    private final List<Integer> keys = new ArrayList<>();
    private int armed;
    private int result;
    private SendQueue queue;
    private SendQueue.CompletionPoller poller = () -> {
        throw new AssertionError("there is nothing to wait for");
    };

    @BeforeEach
    void createQueue() {
        Ibverbs verbs = (Ibverbs) Proxy.newProxyInstance(
                Ibverbs.class.getClassLoader(), new Class<?>[] {Ibverbs.class}, (proxy, method, arguments) -> {
                    switch (method.getName()) {
                        case "postSend" -> {
                            chains.add(chain.size());
                            flags.add(NativeMemory.getInt(chain.first() + Layout.SendWr.SEND_FLAGS));
                            sources.add(source());
                        }
                        case "reqNotifyCq" -> {
                            assertThat(arguments).containsExactly(2L);
                            armed++;
                        }
                        case "setMwRkey" -> keys.add((Integer) arguments[1]);
                        case "deregMr" -> freed.add((Long) arguments[0]);
                        default -> throw new AssertionError(method);
                    }
                    return method.getReturnType() == int.class
                            ? method.getName().equals("postSend") ? result : 0
                            : null;
                });
        queue = new SendQueue(
                verbs,
                1,
                2,
                4,
                1,
                10,
                chain,
                () -> poller.pollCompletions(),
                failures::add,
                ConnectionTapTest.UNOBSERVED);
        queue.open(1);
    }

    private long source() {
        long element = NativeMemory.getLong(chain.first() + Layout.SendWr.SG_LIST);
        return element == 0 ? 0 : NativeMemory.getLong(element + Layout.Sge.ADDR);
    }

    private void send(long id, int flags) throws RdmaException {
        queue.send(id, 0, 0, 10, 0, flags);
    }

    private List<Long> drained() {
        int n = queue.drain(told, false);
        List<Long> ids = new ArrayList<>();
        for (int i = 0; i < n; i++) {
            assertThat(told[i].status()).isEqualTo(Status.SUCCESS);
            ids.add(told[i].id());
        }
        return ids;
    }

    @Test
    void shouldHandOverTogetherWhatHasMoreBehindIt() throws Exception {
        send(1, MORE);
        send(2, MORE);
        assertThat(chains).isEmpty();
        send(3, 0);
        assertThat(chains).containsExactly(3);
    }

    @Test
    void shouldHandOverWhatFillsTheQueueThoughMoreIsPromised() throws Exception {
        for (int i = 0; i < 4; i++) {
            send(i, MORE);
        }
        assertThat(chains).containsExactly(4);
        poller = () -> false;
        assertThatThrownBy(() -> send(4, 0)).isInstanceOfSatisfying(RdmaException.class, e -> assertThat(e.kind())
                .isEqualTo(Kind.QUEUE_FULL));
    }

    @Test
    void shouldPutShortSendsIntoTheirWorkRequests() throws Exception {
        queue.send(1, 0, 0, 10, 0, 0);
        queue.sendWithInvalidate(2, 0, 1, 0, 7, 0);
        queue.send(3, 0, 0, 11, 0, 0);
        queue.send(4, 0, 0, 0, 0, 0);
        int signaled = NativeConstants.IBV_SEND_SIGNALED;
        int inline = signaled | NativeConstants.IBV_SEND_INLINE;
        assertThat(flags).containsExactly(inline, signaled, signaled, signaled);
    }

    /** The library copies octets that go within the work request: it knows nothing of addresses for the device. */
    @Test
    void shouldTakeShortSendsFromWhereTheProcessorHasThem() throws Exception {
        queue.send(1, 0xd0, 0xc0, 10, 0, 0);
        queue.send(2, 0xd0, 0xc0, 11, 0, 0);
        assertThat(sources).containsExactly(0xc0L, 0xd0L);
    }

    @Test
    void shouldTakeOneCompletionForAllBeforeIt() throws Exception {
        send(10, MORE);
        send(11, MORE | UNSIGNALED);
        send(12, 0);
        queue.complete(2, Status.SUCCESS);
        assertThat(drained()).containsExactly(10L, 12L);
        assertThat(queue.isBusy()).isFalse();
    }

    @Test
    void shouldCompleteASendAfterTheReadBeforeIt() throws Exception {
        queue.read(20, 0, 10, 0, 1, 1, 0, 77, null);
        send(21, 0);
        queue.complete(1, Status.SUCCESS);
        assertThat(drained()).isEmpty();
        queue.complete(0, Status.SUCCESS);
        assertThat(drained()).containsExactly(20L, 21L);
        assertThat(freed).containsExactly(77L);
    }

    @Test
    void shouldFlushWhatIsLeftInOrder() throws Exception {
        send(30, 0);
        queue.read(31, 0, 10, 0, 1, 1, UNSIGNALED, 78, null);
        send(32, UNSIGNALED);
        queue.complete(0, Status.SUCCESS);
        queue.close();
        assertThat(queue.drain(told, true)).isEqualTo(3);
        assertThat(told[0].status()).isEqualTo(Status.SUCCESS);
        assertThat(told[1].id()).isEqualTo(31);
        assertThat(told[1].status()).isEqualTo(Status.FLUSHED);
        assertThat(told[2].status()).isEqualTo(Status.FLUSHED);
        assertThat(freed).containsExactly(78L);
        assertDisconnected(() -> send(33, 0));
    }

    @Test
    void shouldHandOverWhatIsCollectedWhenItCloses() throws Exception {
        send(40, MORE);
        queue.close();
        assertThat(chains).containsExactly(1);
    }

    @Test
    void shouldBindInAPlaceOfItsOwn() throws Exception {
        for (int i = 0; i < 4; i++) {
            send(i, MORE | UNSIGNALED);
        }
        queue.complete(3, Status.SUCCESS);
        queue.bind(new MemoryWindows.Window(5, 6), 7, 8, 9, 10, NativeConstants.IBV_ACCESS_REMOTE_READ, false);
        assertThat(chains).containsExactly(4, 1);
        assertThat(queue.isBusy()).isTrue();
        queue.complete((1L << 62) | 4, Status.SUCCESS);
        assertThat(queue.isBusy()).isFalse();
        assertThat(drained()).isEmpty();
    }

    @Test
    void shouldSayThatAWindowIsNotBound() throws Exception {
        result = 22;
        assertThatThrownBy(() -> queue.bind(
                        new MemoryWindows.Window(5, 6), 7, 8, 9, 10, NativeConstants.IBV_ACCESS_REMOTE_READ, false))
                .isInstanceOf(RdmaException.class)
                .hasMessageContaining("refused to bind");
        assertThat(failures).hasSize(1);
        assertThat(queue.isBusy()).isFalse();
    }

    @Test
    void shouldNotWaitForABindToPostBehindIt() throws Exception {
        queue.bind(new MemoryWindows.Window(5, 6), 7, 8, 9, 10, NativeConstants.IBV_ACCESS_REMOTE_READ, false);
        send(1, 0);
        assertThat(chains).containsExactly(1, 1);
    }

    @Test
    void shouldWaitForAWindowsBindBeforeItIsTakenBack() throws Exception {
        MemoryWindows.Window window = new MemoryWindows.Window(5, 6);
        queue.awaitBind(window);
        queue.bind(window, 7, 8, 9, 10, NativeConstants.IBV_ACCESS_REMOTE_READ, false);
        poller = () -> completeBind(0);
        queue.awaitBind(window);
        assertThat(queue.isBusy()).isFalse();
    }

    @Test
    void shouldWaitForABindToEndWhereAllAreUnderWay() throws Exception {
        queue.bind(new MemoryWindows.Window(5, 6), 7, 8, 9, 10, NativeConstants.IBV_ACCESS_REMOTE_READ, false);
        poller = () -> completeBind(0);
        queue.bind(new MemoryWindows.Window(6, 6), 7, 8, 9, 10, NativeConstants.IBV_ACCESS_REMOTE_READ, false);
        assertThat(queue.isBusy()).isTrue();
    }

    @Test
    void shouldNotWaitForABindOfAConnectionThatHasEnded() throws Exception {
        MemoryWindows.Window window = new MemoryWindows.Window(5, 6);
        queue.bind(window, 7, 8, 9, 10, NativeConstants.IBV_ACCESS_REMOTE_READ, false);
        queue.close();
        queue.awaitBind(window);
        assertThat(queue.isBusy()).isTrue();
    }

    private boolean completeBind(long before) {
        queue.complete((1L << 62) | before, Status.SUCCESS);
        return true;
    }

    @Test
    void shouldEndTheConnectionWhenTheDeviceTakesNoPost() throws Exception {
        result = NativeConstants.EINVAL;
        send(50, 0);
        assertThat(failures).hasSize(1);
    }

    @Test
    void shouldPostNothingBehindWhatTheDeviceHasNotTaken() throws Exception {
        send(50, 0);
        result = NativeConstants.ENOMEM;
        send(51, 0);
        result = 0;
        assertDisconnected(() -> send(52, 0));
        assertDisconnected(() ->
                queue.bind(new MemoryWindows.Window(5, 6), 7, 8, 9, 10, NativeConstants.IBV_ACCESS_REMOTE_READ, false));
        assertThat(chains).containsExactly(1, 1);

        queue.complete(0, Status.SUCCESS);
        assertThat(queue.isBusy()).as("nothing comes of what was not taken").isFalse();
        assertThat(queue.drain(told, true)).isEqualTo(2);
        assertThat(told[0].status()).isEqualTo(Status.SUCCESS);
        assertThat(told[1].status()).isEqualTo(Status.FLUSHED);
    }

    @Test
    void shouldNotBindWithAChainThatTheDeviceHasNotTaken() throws Exception {
        send(50, MORE);
        result = NativeConstants.ENOMEM;
        assertDisconnected(() ->
                queue.bind(new MemoryWindows.Window(5, 6), 7, 8, 9, 10, NativeConstants.IBV_ACCESS_REMOTE_READ, false));
        assertThat(chains).containsExactly(2);
        assertThat(queue.isBusy()).isFalse();
    }

    @Test
    void shouldHandOverWhatIsCollectedWhereNothingComesBehindIt() throws Exception {
        send(53, MORE);
        queue.handOver();
        queue.handOver();
        assertThat(chains).containsExactly(1);
    }

    private static void assertDisconnected(ThrowingCallable call) {
        assertThatThrownBy(call).isInstanceOfSatisfying(RdmaException.class, e -> assertThat(e.kind())
                .isEqualTo(Kind.DISCONNECTED));
    }

    @Test
    void shouldRefuseReadsThatThePeerNeverAnswers() {
        queue.open(0);
        assertThatThrownBy(() -> queue.read(60, 0, 10, 0, 1, 1, 0, 0, null))
                .isInstanceOfSatisfying(
                        RdmaException.class, e -> assertThat(e.kind()).isEqualTo(Kind.RESOURCES));
    }

    @Test
    void shouldBindTogetherWithTheNextPost() throws Exception {
        MemoryWindows.Window window = new MemoryWindows.Window(5, 6);
        queue.bind(window, 7, 8, 9, 10, NativeConstants.IBV_ACCESS_REMOTE_READ, true);
        assertThat(chains).isEmpty();
        assertThat(keys)
                .as("the library needs the key before, to post the bind")
                .isEmpty();
        send(1, UNSIGNALED);
        assertThat(chains).containsExactly(2);
        assertThat(keys).containsExactly(7);
    }

    @Test
    void shouldHandOverABindThatIsWaitedForThoughNoPostFollows() throws Exception {
        MemoryWindows.Window window = new MemoryWindows.Window(5, 6);
        queue.bind(window, 7, 8, 9, 10, NativeConstants.IBV_ACCESS_REMOTE_READ, true);
        poller = () -> completeBind(0);
        queue.awaitBind(window);
        assertThat(chains).containsExactly(1);
        assertThat(queue.isBusy()).isFalse();
    }

    @Test
    void shouldForgetBindsOfAChainThatTheDeviceHasNotTaken() throws Exception {
        MemoryWindows.Window window = new MemoryWindows.Window(5, 6);
        queue.bind(window, 7, 8, 9, 10, NativeConstants.IBV_ACCESS_REMOTE_READ, true);
        result = NativeConstants.ENOMEM;
        send(1, UNSIGNALED);
        assertThat(failures).hasSize(1);
        assertThat(queue.isBusy()).isFalse();
        assertDisconnected(() -> queue.awaitBind(window));
    }

    @Test
    void shouldCauseAnEventOnlyWhereACompletionIsAwaited() throws Exception {
        send(1, UNSIGNALED);
        assertThat(queue.arm(false)).isZero();
        assertThat(armed).isZero();
        send(2, 0);
        assertThat(armed).as("before the post").isEqualTo(1);
        send(3, 0);
        queue.arm(false);
        assertThat(armed).as("the event is still to come").isEqualTo(1);
        queue.eventTaken();
        queue.arm(false);
        assertThat(armed).as("the posts are not delivered yet").isEqualTo(2);
        queue.complete(2, Status.SUCCESS);
        assertThat(drained()).containsExactly(2L, 3L);
        queue.eventTaken();
        queue.arm(false);
        assertThat(armed).isEqualTo(2);
        queue.arm(true);
        assertThat(armed).as("all are awaited at the end").isEqualTo(3);
    }

    @Test
    void shouldPollWhereTheQueueIsFullOfPostsThatNobodyAwaits() throws Exception {
        for (int i = 0; i < 4; i++) {
            send(i, UNSIGNALED);
        }
        poller = () -> {
            queue.complete(3, Status.SUCCESS);
            return true;
        };
        send(4, 0);
        queue.complete(4, Status.SUCCESS);
        assertThat(drained()).containsExactly(4L);
        assertThat(armed).isEqualTo(1);
    }

    @Test
    void shouldPollAFullQueueAsLongAsThatBringsSomething() throws Exception {
        for (int i = 0; i < 4; i++) {
            send(i, UNSIGNALED);
        }
        List<String> polls = new ArrayList<>();
        poller = () -> {
            polls.add("poll");
            if (polls.size() == 3) { // others' completions came before
                queue.complete(0, Status.SUCCESS);
            }
            return true;
        };
        send(4, UNSIGNALED);
        assertThat(polls).hasSize(3);
    }

    @Test
    void shouldFreeThePlacesBeforeABind() throws Exception {
        for (int i = 0; i < 3; i++) {
            send(i, MORE | UNSIGNALED);
        }
        queue.bind(new MemoryWindows.Window(5, 6), 7, 8, 9, 10, NativeConstants.IBV_ACCESS_REMOTE_READ, false);
        queue.complete((1L << 62) | 3, Status.SUCCESS);
        for (int i = 3; i < 7; i++) {
            send(i, UNSIGNALED); // without a poll, which the test does not allow
        }
        assertThat(chains).containsExactly(4, 1, 1, 1, 1);
    }
}
