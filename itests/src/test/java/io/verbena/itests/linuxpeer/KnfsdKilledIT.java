package io.verbena.itests.linuxpeer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.itests.Transfer;
import io.verbena.itests.VerbenaStack;
import io.verbena.nfs.RemoteFile;
import io.verbena.nfs41.client.internal.mount.NfsMount;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Calls after Linux's server has gone for good. */
@AgainstLinux
class KnfsdKilledIT {
    private static final int SIZE = 4 << 20;

    private static final Set<StandardOpenOption> CREATE =
            Set.of(StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);

    private final LinuxGuest survivor;

    KnfsdKilledIT(LinuxGuest survivor) {
        this.survivor = survivor;
    }

    @Test
    void shouldEndInBoundedTimeWhatWaitsForAServerThatIsGone() throws Exception {
        try (VerbenaStack stack = new VerbenaStack();
                LinuxGuest victim = LinuxGuest.boot();
                NfsMount soft = stack.mount(victim.nfs(), "/", "soft,timeo=30,retrans=1");
                // a write, its sync and the CLOSE may each wait for their whole time; all three fit in a transfer's
                // bound
                NfsMount patient = stack.mount(victim.nfs(), "/", "soft,timeo=50,retrans=2");
                NfsMount hard = stack.mount(victim.nfs(), "/", "hard,timeo=30");
                NfsMount other = stack.mount(survivor.nfs(), "/", "")) {
            Transfer failing = Transfer.write(soft, "/soft", SIZE).awaitUnderWay();
            Transfer interrupted = Transfer.write(hard, "/interrupted", SIZE).awaitUnderWay();
            Transfer unmounted = Transfer.write(hard, "/unmounted", SIZE).awaitUnderWay();
            RemoteFile open = hard.open("/open", CREATE, 0644);
            replaceDevice(victim, Transfer.write(patient, "/replaced", SIZE).awaitUnderWay());
            end(victim);
            assertThatThrownBy(failing::end).isInstanceOf(IOException.class).hasMessageContaining("127.0.0.1");
            assertThatThrownBy(() -> soft.attributes("/soft", true)).isInstanceOf(IOException.class);
            CompletableFuture<Integer> reading = open.readAsync(ByteBuffer.allocate(1), 0);
            interrupted.interrupt();
            assertThatThrownBy(interrupted::end).hasCauseInstanceOf(InterruptedIOException.class);
            assertThat(reading).isNotDone();
            end(hard);
            assertThatThrownBy(unmounted::end).isInstanceOf(IOException.class).hasMessageContaining("unmounted");
            assertThatThrownBy(() -> reading.get(10, TimeUnit.SECONDS)).hasMessageContaining("unmounted");
            assertThat(other.list("/")).isNotEmpty();
        }
    }

    /** Closes a resource before the end of its block. */
    private static void end(AutoCloseable resource) throws Exception {
        resource.close();
    }

    /**
     * Replaces the device during a transfer. Linux 6.1 does not always survive this: a thread of the server may wait
     * for ever for an RDMA Read of the removed device. The transfer ends with the complete file on the server, or with
     * an error.
     */
    private static void replaceDevice(LinuxGuest victim, Transfer transfer) throws Exception {
        Process replacing = victim.start("rdma link delete siw0 && rdma link add siw0 type siw netdev eth0");
        boolean replaced = replacing.waitFor(15, TimeUnit.SECONDS);
        try {
            byte[] written = transfer.finish();
            assertThat(new Knfsd(victim).sha256("/replaced")).isEqualTo(Transfer.sha256(written));
        } catch (IOException e) {
            assertThat(replaced)
                    .as("the device is back, but %s", e.getMessage())
                    .isFalse();
        }
    }
}
