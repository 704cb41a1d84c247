package io.verbena.itests.linuxpeer;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.itests.Transfer;
import io.verbena.itests.VerbenaStack;
import io.verbena.itests.badpath.BadPath;
import io.verbena.itests.badpath.Fault;
import io.verbena.nfs41.client.internal.mount.NfsMount;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Our client against Linux's server through a path that ends connections. Linux 6.1 does not survive every end of a
 * connection. So the class has a guest of its own, and connections end in an orderly way, long after their beginning.
 * Nothing is written after the first READ: when a READ loses its connection, Linux 6.1 can take pages of its file for
 * the data of a later WRITE (docs/interoperability.md).
 */
@AgainstLinux(judged = false)
class KnfsdCutsIT {
    private static final int BOUND_SECONDS = 90;
    private static final int FEWEST_OCTETS = 200_000;
    private static final int MOST_OCTETS = 2_000_000;

    private final long seed = Long.getLong("verbena.seed", System.nanoTime());

    @ParameterizedTest
    @CsvSource({"'', 15", "nconnect=4, 6"})
    void shouldMoveFilesOverConnectionsThatAreLostInMidTransfer(String options, int cuts) throws Exception {
        System.out.println("KnfsdCutsIT: -Dverbena.seed=" + seed);
        try (LinuxGuest guest = LinuxGuest.boot();
                VerbenaStack stack = new VerbenaStack();
                BadPath path = new BadPath(guest.nfs(), seed);
                NfsMount mount = stack.mount(path.address(), "/", options)) {
            Knfsd knfsd = new Knfsd(guest);
            Transfer writing = Transfer.write(mount, "/cuts-written", 4 << 20);
            cut(path, cuts);
            assertThat(Transfer.sha256(writing.finish())).isEqualTo(knfsd.sha256("/cuts-written"));
            String made = knfsd.make("/cuts-read", 4);
            Transfer reading = Transfer.read(mount, "/cuts-read", 4 << 20);
            cut(path, cuts);
            assertThat(Transfer.sha256(reading.finish())).isEqualTo(made);
        }
    }

    private static void cut(BadPath path, int cuts) throws InterruptedException {
        path.orderFaults(cuts, FEWEST_OCTETS, MOST_OCTETS, Fault.END);
        path.awaitOver(BOUND_SECONDS);
    }
}
