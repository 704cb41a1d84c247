package io.verbena.rpcrdma.dispatcher.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.conformance.Proves;
import io.verbena.rpc.PeerProtocolException;
import io.verbena.rpcrdma.dispatcher.internal.RawPeer.Message;
import io.verbena.rpcrdma.dispatcher.internal.base.Counter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How many calls the requester has in flight. */
final class RequesterCreditsTest extends RequesterFixture {
    RequesterCreditsTest(Version version, boolean device) {
        super(version, device);
    }

    private static void await(BooleanSupplier condition) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).isLessThan(deadline);
            Thread.onSpinWait();
        }
    }

    @Test
    @Proves("V1-4.3.1-2")
    @DisplayName("only one call goes out before the first reply")
    void shouldAssumeOneCredit() throws Exception {
        open(4, RawPeer.NO_PRIVATE_DATA);
        List<CompletableFuture<String>> calls = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            calls.add(callNull());
        }
        Message first = server.next();
        assertThat(server.isQuiet()).isTrue(); // sends arrive at once here, and by the thread that calls
        server.send(version.nullReply(first.xid(), 2));
        server.send(version.nullReply(server.next().xid(), 2));
        server.send(version.nullReply(server.next().xid(), 2));
        for (CompletableFuture<String> call : calls) {
            awaitNull(call);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 1000, -1})
    @Proves({"V1-4.3-4", "V1-4.3-5", "V1-4.3-7"})
    @DisplayName("no more calls are in flight than the lower of request and grant")
    void shouldKeepWithinGrant(int granted) throws Exception {
        grant(granted);
        int expected = granted < 0 ? 4 : Math.min(granted, 4);
        List<CompletableFuture<String>> calls = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            calls.add(callNull());
        }
        List<Integer> xids = new ArrayList<>();
        for (int i = 0; i < expected; i++) {
            xids.add(server.next().xid());
        }
        assertThat(server.isQuiet()).isTrue();
        for (int answered = 0; answered < 12; answered++) {
            server.send(version.nullReply(xids.get(answered), granted));
            calls.get(answered).get(10, TimeUnit.SECONDS);
            if (answered + expected < 12) {
                xids.add(server.next().xid());
            }
            assertThat(server.isQuiet()).isTrue();
        }
    }

    @Test
    @Proves("V1-4.3-4")
    @DisplayName("a grant may shrink: calls then wait until fewer are in flight")
    void shouldFollowShrinkingGrant() throws Exception {
        grant(4);
        List<CompletableFuture<String>> calls = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            calls.add(callNull());
        }
        int[] xids = {
            server.next().xid(),
            server.next().xid(),
            server.next().xid(),
            server.next().xid()
        };
        for (int i = 0; i < 3; i++) {
            server.send(version.nullReply(xids[i], 1));
            awaitNull(calls.get(i));
            assertThat(server.isQuiet()).isTrue();
        }
        server.send(version.nullReply(xids[3], 2));
        awaitNull(calls.get(3));
        server.send(version.nullReply(server.next().xid(), 2));
        server.send(version.nullReply(server.next().xid(), 2));
        awaitNull(calls.get(5));
    }

    @Test
    @Proves("V1-4.3-3")
    @DisplayName("a grant of zero is not believed")
    void shouldSurviveGrantOfZero() throws Exception {
        grant(0);
        CompletableFuture<String> next = callNull();
        server.send(version.nullReply(server.next().xid(), 0));
        awaitNull(next);
    }

    @Test
    @Proves({"V1-4.3.1-2", "V1-8.3.3-1"})
    @DisplayName("only a valid reply brings credits")
    void shouldTakeNoCreditsFromInvalidReply() throws Exception {
        CompletableFuture<String> call = callNull();
        int xid = server.next().xid();
        server.send(
                version.reply(xid, 4, Wire.MSG).words(0, 0, 0).accepted(xid + 1).done());
        assertThat(failureOf(call)).isInstanceOf(PeerProtocolException.class);
        started.add(callNull());
        started.add(callNull());
        server.next();
        assertThat(server.isQuiet()).isTrue();
    }

    @Test
    @Proves({"V1-4.3-5", "V1-4.3-7"})
    @DisplayName("a call given up keeps its credit until its late reply, which brings credits too")
    void shouldDropLateReply() throws Exception {
        grant(1);
        CompletableFuture<String> late = callNull();
        int xid = server.next().xid();
        assertThat(late.cancel(true)).isTrue();
        // a call waiting now would find every credit held by calls given up, and end the connection: see below
        server.send(version.nullReply(xid, 3));
        List<CompletableFuture<String>> calls = new ArrayList<>();
        await(() -> count(Counter.LATE_REPLIES) == 1);
        for (int i = 0; i < 4; i++) {
            calls.add(callNull());
        }
        for (int i = 0; i < 3; i++) {
            server.next();
        }
        assertThat(server.isQuiet()).isTrue();
        assertThat(calls).noneMatch(CompletableFuture::isDone);
    }
}
