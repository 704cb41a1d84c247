package io.verbena.itests.linuxpeer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.verbena.itests.WireReport;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Traces of devices in the guest, whose traffic no sniffer sees, read by independent dissectors. */
@AgainstLinux(inside = true, judged = false)
@Timeout(600)
class NativeTraceIT {
    private static final String HERE = "/tmp/trace";
    private static final String SERVED = "/export/trace";

    private final LinuxGuest guest;
    private final GuestVerbena verbena;

    @TempDir
    private Path folder;

    NativeTraceIT(LinuxGuest guest, GuestVerbena verbena) {
        this.guest = guest;
        this.verbena = verbena;
    }

    @AfterEach
    void tidyUp() throws Exception {
        guest.run("rm -rf " + HERE + " " + SERVED);
    }

    @Test
    void shouldBeReadDownToNfsOverRoce() throws Exception {
        traceOf("rxe0", LinuxGuest.ROCE);
    }

    @Test
    void shouldBeReadDownToNfsOverIwarp() throws Exception {
        traceOf("siw0", LinuxGuest.IWARP);
    }

    /** Traces two mounts: one exists before the trace begins, and the other one begins and ends during the trace. */
    private void traceOf(String device, String address) throws Exception {
        assumeTrue(WireReport.isPossible(), "no tshark: traces are not checked");
        guest.run("mkdir -p " + HERE + " " + SERVED + " && chmod 777 " + SERVED + " && head -c 300002 /dev/urandom > "
                + HERE + "/made");
        String mount =
                "nfs:mount -o proto=rdma,rpcrdma=1,provider=" + GuestJvm.DEVICES + ",port=20049 " + address + ":/ ";

        String printed = verbena.run(
                mount + "before",
                "nfs:ls before:/",
                "rdma:trace start " + HERE + "/trace.pcapng",
                "nfs:ls before:/",
                mount + "within",
                "nfs:put " + HERE + "/made within:/trace/made",
                "nfs:get within:/trace/made " + HERE + "/back",
                "nfs:unmount within",
                "nfs:unmount before",
                "rdma:trace stop");

        assertThat(printed).contains(" of 2 connections to ", ", 0 dropped");
        guest.run("cmp " + HERE + "/made " + HERE + "/back");
        Path trace = folder.resolve("trace.pcapng");
        String text = guest.run("base64 " + HERE + "/trace.pcapng");
        Files.write(trace, Base64.getMimeDecoder().decode(text));
        assertThat(Files.readString(trace, java.nio.charset.StandardCharsets.ISO_8859_1))
                .contains("RDMA provider native, device " + device);
        WireReport report = WireReport.ofTrace(trace);
        assertThat(report.unread()).isEmpty();
        assertThat(report.malformed()).isEmpty();
        assertThat(report.missingOctets()).isZero();
        assertThat(report.goodCrcs()).isEqualTo(report.fpdus()).isGreaterThan(20);
        assertThat(report.calls()).hasSizeGreaterThan(10);
        // the server reads written data from local memory, which software does not see; a dissector shows such a call
        // only where it finds the octets read
        Set<String> withoutCall = new TreeSet<>(report.replies());
        withoutCall.removeAll(report.calls());
        assertThat(withoutCall).hasSizeLessThanOrEqualTo(1);
        // the unmount command does not wait for the end of the session: the trace may end before the last replies
        Set<String> withoutReply = new TreeSet<>(report.calls());
        withoutReply.removeAll(report.replies());
        assertThat(withoutReply).hasSizeLessThanOrEqualTo(2);
        assertThat(report.operations()).contains("18", "42", "43", "44", "53");
    }
}
