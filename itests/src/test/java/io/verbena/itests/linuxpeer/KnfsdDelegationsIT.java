package io.verbena.itests.linuxpeer;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.itests.VerbenaStack;
import io.verbena.itests.WireCapture;
import io.verbena.itests.WireReport;
import io.verbena.nfs.AttributeChanges;
import io.verbena.nfs.RemoteFile;
import io.verbena.nfs41.client.internal.mount.NfsMount;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Delegations of Linux's server: granted, recalled in the reverse direction, and returned. The server grants read
 * delegations only.
 */
@AgainstLinux(alone = true)
class KnfsdDelegationsIT {
    private static final String FOLDER = "/delegated";
    private static final String IN_GUEST = "/export" + FOLDER;
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String FOR_READING = "1";
    private static final String DELEGRETURN = "8";
    private static final String CB_RECALL = "4";
    private static final String CB_SEQUENCE = "11";

    private final LinuxGuest guest;
    private final VerbenaStack stack = new VerbenaStack();
    private NfsMount mount;

    KnfsdDelegationsIT(LinuxGuest guest) {
        this.guest = guest;
    }

    @BeforeEach
    void makeFolder() throws Exception {
        guest.run("mkdir " + IN_GUEST + " && cd " + IN_GUEST + " && echo before > file");
    }

    @AfterEach
    void tidyUp() throws Exception {
        if (mount != null) {
            mount.close();
        }
        stack.close();
        guest.run("rm -r " + IN_GUEST);
    }

    private RemoteFile open(OpenOption... options) throws IOException {
        return mount.open(FOLDER + "/file", Set.of(options), 0644);
    }

    private static String read(RemoteFile file) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(100);
        file.read(buffer, 0);
        return new String(buffer.array(), 0, buffer.position(), UTF_8);
    }

    private String delegated() {
        return mount.settings().get("delegated");
    }

    /** Mounts, and opens the file repeatedly until it is delegated: the server first has to verify the back channel. */
    private void mountAndBeGranted() throws Exception {
        mount = stack.mount(guest.nfs(), "/", "");
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (delegated().equals("0")) {
            assertThat(System.nanoTime()).as("nothing is delegated").isLessThan(deadline);
            open(StandardOpenOption.READ).close();
        }
    }

    /** Waits until the capture holds all traffic so far, with a final connection to the port of {@code mark}. */
    private void awaitCaptured(Path captured, ServerSocket mark) throws Exception {
        ByteBuffer ports = ByteBuffer.allocate(4);
        try (Socket last = new Socket(mark.getInetAddress(), mark.getLocalPort())) {
            ports.putShort((short) last.getLocalPort()).putShort((short) mark.getLocalPort());
        }
        String wanted = new String(ports.array(), ISO_8859_1);
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!new String(Files.readAllBytes(captured), ISO_8859_1).contains(wanted)) {
            assertThat(System.nanoTime()).as("the capture is behind").isLessThan(deadline);
            guest.run("true");
        }
    }

    @Test
    void shouldReturnWhatIsRecalledForAProgramInTheGuestThatWrites() throws Exception {
        Path captured = Files.createTempFile("delegations", ".pcap");
        Path aligned = captured.resolveSibling("aligned-" + captured.getFileName());
        ServerSocket mark = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        String filter = "tcp port " + guest.nfs().getPort() + " or tcp port " + mark.getLocalPort();
        WireCapture capture = WireCapture.start(captured, filter);
        try {
            mountAndBeGranted();
            try (RemoteFile file = open(StandardOpenOption.READ)) { // without OPEN
                assertThat(read(file)).isEqualTo("before\n");
                assertThat(file.attributes().size()).isEqualTo(7);
                // the command waits for the delegation's return, or breaks it after 45 s
                guest.run("cd " + IN_GUEST + " && echo afterwards > file", Duration.ofSeconds(30));
                assertThat(delegated()).isEqualTo("0");
                assertThat(file.attributes().size()).isEqualTo(11);
                assertThat(read(file)).isEqualTo("afterwards\n");
            }
            mount.close();
            awaitCaptured(captured, mark);
        } finally {
            mark.close();
            capture.stop();
        }
        WireReport report = WireReport.of(captured, aligned);
        assertThat(report.delegationTypes()).contains(FOR_READING);
        assertThat(report.callbacks()).containsSubsequence(CB_SEQUENCE, CB_RECALL);
        assertThat(report.operations()).contains(DELEGRETURN);
        Files.delete(captured);
        Files.delete(aligned);
    }

    @Test
    void shouldChangeByItselfWhatIsDelegatedToIt() throws Exception {
        mountAndBeGranted();
        try (RemoteFile reading = open(StandardOpenOption.READ)) {
            try (RemoteFile writing = open(StandardOpenOption.WRITE)) {
                writing.write(ByteBuffer.wrap("behind\n".getBytes(UTF_8)), 7);
            }
            assertThat(reading.attributes().size()).isEqualTo(14);
            assertThat(read(reading)).isEqualTo("before\nbehind\n");
            mount.setAttributes(FOLDER + "/file", AttributeChanges.NONE.withMode(0600));
            assertThat(reading.attributes().mode()).isEqualTo(0600);
            mount.rename(FOLDER + "/file", FOLDER + "/renamed");
            assertThat(read(reading)).isEqualTo("before\nbehind\n");
        }
        mount.remove(FOLDER + "/renamed");
        assertThat(guest.run("ls " + IN_GUEST)).isEmpty();
    }

    @Test
    void shouldGoOnWithWhatItOpenedByADelegationWhenTheServerRestarts() throws Exception {
        Knfsd knfsd = new Knfsd(guest);
        try {
            mountAndBeGranted();
            try (RemoteFile file =
                    open(StandardOpenOption.READ)) { // without OPEN; the server learns of this open by the claim
                knfsd.stop();
                knfsd.start();
                assertThat(read(file)).isEqualTo("before\n");
                guest.run("cd " + IN_GUEST + " && echo afterwards > file", Duration.ofSeconds(30));
                assertThat(delegated()).isEqualTo("0");
                assertThat(read(file)).isEqualTo("afterwards\n");
            }
        } finally {
            knfsd.restore();
        }
    }
}
