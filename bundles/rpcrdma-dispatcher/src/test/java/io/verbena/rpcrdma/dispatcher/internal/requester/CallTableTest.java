package io.verbena.rpcrdma.dispatcher.internal.requester;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.memory.internal.DirectMemory;
import io.verbena.rpcrdma.ConnectionSettings;
import io.verbena.rpcrdma.dispatcher.internal.EchoProgram;
import io.verbena.rpcrdma.dispatcher.internal.TransportPair;
import io.verbena.rpcrdma.dispatcher.internal.base.Counters;
import io.verbena.rpcrdma.dispatcher.internal.base.TransportLimits;
import io.verbena.rpcrdma.dispatcher.internal.connection.Connection;
import io.verbena.rpcrdma.dispatcher.internal.requester.PendingCall.Outcome;
import io.verbena.rpcrdma.dispatcher.internal.requester.PendingCall.State;
import io.verbena.rpcrdma.dispatcher.internal.services.TransportContext;
import io.verbena.rpcrdma.dispatcher.internal.services.TransportOptions;
import io.verbena.runtime.SystemRuntime;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Steps of a call's that meet in a moment which no test of the whole can wait for. */
final class CallTableTest {
    private static final Outcome SENT = new Outcome("sent", null);
    private static final Outcome UNSENT = new Outcome("unsent", null);

    private final TransportContext context =
            new TransportContext(new SystemRuntime(), TransportLimits.DEFAULT, new DirectMemory());
    private final CallTable table = new CallTable(4, context.memory().share("peer"), new Counters(), context.runtime());
    private final PendingCall<String> call =
            new PendingCall<>(null, TransportPair.call(EchoProgram.NULL), in -> "done", 0, 0);

    private Connection connection() {
        Connection made = new Connection(
                1, context, null, TransportOptions.parse(Map.of()), (ended, cause) -> {}, new Counters());
        made.readyToAnswer(ConnectionSettings.WITHOUT_PRIVATE_DATA, null);
        return made;
    }

    private State giveUp() {
        return table.giveUp(call, sent -> {
            assertThat(Thread.holdsLock(table))
                    .as("nobody can send it meanwhile")
                    .isTrue();
            return sent ? SENT : UNSENT;
        });
    }

    @Test
    void shouldKnowOfACallThatWaitsThatItWillNotGoOut() throws Exception {
        assertThat(table.admit(call)).isNull();
        assertThat(giveUp()).isEqualTo(State.DONE);
        assertThat(call.ending).isSameAs(UNSENT);
        assertThat(table.attach(connection(), 4)).isTrue();
        assertThat(table.next()).isNull();
        assertThat(giveUp()).isNull();
    }

    @Test
    void shouldNotPostACallThatIsGivenUpAsUnsent() throws Exception {
        assertThat(table.attach(connection(), 4)).isTrue();
        assertThat(table.admit(call)).isNotNull();
        assertThat(giveUp()).isEqualTo(State.SENDING);
        assertThat(table.sent(call, null)).isFalse();
        assertThat(table.withdraw(call)).isEqualTo(State.DONE);
        assertThat(call.ending).isSameAs(UNSENT);
    }

    @Test
    void shouldKnowOfACallThatIsPostedThatItWentOut() throws Exception {
        assertThat(table.attach(connection(), 4)).isTrue();
        assertThat(table.admit(call)).isNotNull();
        assertThat(table.sent(call, null)).isTrue();
        assertThat(giveUp()).isEqualTo(State.ENDING);
        assertThat(call.ending).isSameAs(SENT);
    }

    @Test
    void shouldNotTakeAConnectionThatIsLeftBeforeItWasTaken() {
        Connection left = connection();
        table.drain(left, System.nanoTime());
        assertThat(table.attach(left, 4)).isFalse();
        assertThat(table.attach(connection(), 4)).isTrue();
    }

    @Test
    void shouldForgetAConnectionThatHasEndedUnused() {
        Connection left = connection();
        table.drain(left, System.nanoTime());
        table.detach(left);
        assertThat(table.attach(left, 4)).isTrue(); // as nothing keeps it, and with it the services that it is made of
    }
}
