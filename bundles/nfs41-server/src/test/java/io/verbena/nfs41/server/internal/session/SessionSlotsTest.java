package io.verbena.nfs41.server.internal.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nfs41.ChannelAttributes;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.server.internal.budget.ClientAccount;
import io.verbena.nfs41.server.internal.budget.Principal;
import io.verbena.nfs41.server.internal.budget.StateBudget;
import io.verbena.nfs41.server.internal.budget.StateKind;
import io.verbena.nfs41.server.internal.session.SessionSlots.SlotNumbers;
import io.verbena.nfs41.server.internal.util.NfsError;
import java.net.InetSocketAddress;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A session of eight slots whose client is asked to use four. */
class SessionSlotsTest {
    private static final ChannelAttributes EIGHT =
            new ChannelAttributes(0, 1 << 20, 1 << 20, 4096, 32, 8, Optional.empty());
    private static final int LOWERED = 3;
    private static final byte[] REPLY = new byte[1000];

    private final StateBudget budget = new StateBudget(0); // the least
    private final int[] sequences = new int[8];
    private SessionSlots slots;

    @BeforeEach
    void open() {
        ClientAccount account = account("10.0.0.1");
        slots = SessionSlots.open(account, EIGHT);
        assertThat(account.take(StateKind.OPENS, StateBudget.GUARANTEED * 3 / 4))
                .isTrue();
        for (int i = 2; i < 14; i++) { // others take the rest
            ClientAccount greedy = account("10.0.0." + i);
            assertThat(greedy.take(StateKind.OPENS, greedy.spare())).isTrue();
        }
    }

    private ClientAccount account(String host) {
        return budget.open(new InetSocketAddress(host, 2049), new Principal(1, 0), () -> {});
    }

    /** A request that is executed at once, and whose reply is cached. */
    private SlotNumbers execute(int slot, int highest) throws NfsError {
        Slot used = slots.slot(slot, highest);
        sequences[slot]++;
        assertThat(used.begin(sequences[slot], slot, true)).isEqualTo(Status.NFS4_OK);
        SlotNumbers told = slots.entered(used, slot, highest, 0);
        used.complete(REPLY);
        return told;
    }

    private Slot retried(int slot) throws NfsError {
        Slot used = slots.slot(slot, slot);
        assertThat(used.begin(sequences[slot], slot, true)).isEqualTo(Status.NFS4ERR_RETRY_UNCACHED_REP);
        return used;
    }

    @Test
    void shouldRetireSlotsWhoseRepliesTheClientHas() throws Exception {
        SlotNumbers told = execute(0, 7);
        assertThat(told).isEqualTo(new SlotNumbers(7, LOWERED));
        assertThat(execute(0, LOWERED)).isEqualTo(new SlotNumbers(LOWERED, LOWERED));
    }

    /** The client has taken an older target for the newest, and the reply is lost with its connection. */
    @Test
    void shouldKeepTheReplyToARequestThatOvertookTheProof() throws Exception {
        assertThat(execute(0, 7).target()).isEqualTo(LOWERED);
        SlotNumbers unused = execute(5, 7);
        assertThat(execute(0, LOWERED)).isEqualTo(new SlotNumbers(5, LOWERED));
        assertThat(retried(5).reply()).isEqualTo(REPLY);
        // this one was sent when slot 5 was not in use any more
        assertThat(execute(0, LOWERED)).isEqualTo(new SlotNumbers(LOWERED, LOWERED));
        assertThat(slots.slot(5, 5).reply()).isNull();
    }

    @Test
    void shouldKeepTheSlotOfARequestThatIsExecuted() throws Exception {
        assertThat(execute(0, 7).target()).isEqualTo(LOWERED);
        Slot slow = slots.slot(5, 7);
        assertThat(slow.begin(1, 5, true)).isEqualTo(Status.NFS4_OK);
        assertThat(execute(0, LOWERED)).isEqualTo(new SlotNumbers(5, LOWERED));
        slow.complete(REPLY);
        sequences[5] = 1;
        assertThat(retried(5).reply()).isEqualTo(REPLY);
    }
}
