package io.verbena.itests.linuxpeer;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.itests.BadPath;
import io.verbena.itests.BadPath.Trouble;
import io.verbena.itests.Transfer;
import io.verbena.itests.VerbenaStack;
import io.verbena.nfs41.client.internal.NfsMount;
import org.junit.jupiter.api.Test;

/**
 * Our client against Linux's server over a network that loses connections. Linux 6.1 does not survive all of their ends:
 * the guest is one of this class's own, and they end in an orderly way, long after they began.
 */
@AgainstLinux(judged = false)
class KnfsdCutsIT {
    private static final int CUTS = 15;
    private static final int BOUND_SECONDS = 90;
    private static final int FEWEST_OCTETS = 200_000;
    private static final int MOST_OCTETS = 2_000_000;

    private final long seed = Long.getLong("verbena.seed", System.nanoTime());

    @Test
    void shouldMoveFilesOverConnectionsThatAreLostInMidTransfer() throws Exception {
        System.out.println("KnfsdCutsIT: -Dverbena.seed=" + seed);
        try (LinuxGuest guest = LinuxGuest.boot();
                VerbenaStack stack = new VerbenaStack();
                BadPath path = new BadPath(guest.nfs(), seed);
                NfsMount mount = stack.mount(path.address(), "/", "")) {
            Knfsd knfsd = new Knfsd(guest);
            String made = knfsd.make("/cuts-read", 4);
            Transfer writing = Transfer.write(mount, "/cuts-written", 4 << 20);
            Transfer reading = Transfer.read(mount, "/cuts-read", 4 << 20);
            path.trouble(CUTS, FEWEST_OCTETS, MOST_OCTETS, Trouble.END);
            path.awaitOver(BOUND_SECONDS);
            assertThat(Transfer.sha256(reading.finish())).isEqualTo(made);
            assertThat(Transfer.sha256(writing.finish())).isEqualTo(knfsd.sha256("/cuts-written"));
        }
    }
}
