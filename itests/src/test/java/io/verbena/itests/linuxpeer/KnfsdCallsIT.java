package io.verbena.itests.linuxpeer;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.itests.Launcher;
import io.verbena.itests.WireCapture;
import io.verbena.itests.WireReport;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * How many calls small files cost: the shell's commands against the same work of Linux's client, both on Linux's
 * server. Ours are counted on the wire, Linux's by its own statistics.
 */
@AgainstLinux(judged = false)
class KnfsdCallsIT {
    private static final String IN_GUEST = "/export/calls";
    private static final String PLACE = "/mnt/calls";
    private static final String SOURCE = "/tmp/calls";
    private static final int FILES = 100;
    private static final int OCTETS = 2000;

    private final LinuxGuest guest;

    @TempDir
    private Path folder;

    private Launcher verbena;
    private int captures;

    KnfsdCallsIT(LinuxGuest guest) {
        this.guest = guest;
    }

    @BeforeEach
    void setUp() throws Exception {
        verbena = new Launcher(folder);
        Path tree = Files.createDirectories(folder.resolve("tree"));
        for (int file = 0; file < FILES; file++) {
            Files.write(tree.resolve("file-" + file), Contents.random(file, OCTETS));
        }
        guest.run("mkdir -m 777 " + IN_GUEST + " && mkdir -p " + PLACE + " " + SOURCE + "/tree && cd " + SOURCE
                + "/tree && for i in $(seq " + FILES + "); do head -c " + OCTETS + " /dev/urandom > file-$i; done");
    }

    @AfterEach
    void tidyUp() throws Exception {
        guest.run("umount " + PLACE + " 2> /dev/null; rm -rf " + IN_GUEST + " " + SOURCE);
    }

    /** The calls of Linux's client for a command in its mount, which is made for that. */
    private long callsOfLinux(String command) throws Exception {
        String counters = "awk '/^device .* mounted on \\/mnt\\/calls /{ours=1} ours && /per-op/{ops=1}"
                + " ops && /^\\t *[A-Z_0-9]+: /{sum+=$2} END{print sum}' /proc/self/mountstats";
        String counted = guest.run("mount -t nfs -o vers=4.1,proto=rdma,port=20049 10.0.2.15:/calls " + PLACE
                + " && before=$(" + counters + ") && { " + command + "; } > /dev/null && sync"
                + " && echo $(($(" + counters + ") - before)); umount " + PLACE);
        return Long.parseLong(counted.strip());
    }

    /** The calls of a run of the shell that mounts, runs a command and unmounts. */
    private long calls(String command) throws Exception {
        captures++;
        Path captured = folder.resolve(captures + ".pcap");
        WireCapture capture =
                WireCapture.start(captured, "tcp port " + guest.nfs().getPort());
        try {
            String mount = "nfs:mount -o nocrc,port=" + guest.nfs().getPort() + " 127.0.0.1:/calls m";
            Launcher.Result run = verbena.runWithInput(mount + "\n" + command + "\nnfs:unmount m\n", "-");
            assertThat(run.failures()).isEmpty();
            assertThat(run.status()).as(run.err()).isZero();
        } finally {
            capture.stop();
        }
        return WireReport.of(captured, folder.resolve(captures + "-aligned.pcap"))
                .calls()
                .size();
    }

    @Test
    void shouldTakeAtMostTheCallsOfLinux() throws Exception {
        long beside = calls("echo nothing");

        long put = calls("nfs:put -r " + folder.resolve("tree") + " m:/") - beside;
        assertThat(guest.run("cd " + IN_GUEST + "/tree && cat file-* | wc -c").strip())
                .isEqualTo("" + FILES * OCTETS);
        long list = calls("nfs:ls -l m:/tree") - beside;
        long get = calls("nfs:get -r m:/tree " + folder.resolve("back")) - beside;
        for (int file = 0; file < FILES; file++) {
            assertThat(folder.resolve("back/file-" + file)).hasBinaryContent(Contents.random(file, OCTETS));
        }
        long remove = calls("nfs:rm -r m:/tree") - beside;
        assertThat(guest.run("ls " + IN_GUEST)).isEmpty();

        long putOfLinux = callsOfLinux("cp -r " + SOURCE + "/tree " + PLACE);
        long listOfLinux = callsOfLinux("ls -l " + PLACE + "/tree");
        long getOfLinux = callsOfLinux("cp -r " + PLACE + "/tree " + SOURCE + "/back");
        long removeOfLinux = callsOfLinux("rm -r " + PLACE + "/tree");

        String counts = "calls for %d files, ours and Linux's: put %d, %d; ls -l %d, %d; get %d, %d; rm -r %d, %d"
                .formatted(FILES, put, putOfLinux, list, listOfLinux, get, getOfLinux, remove, removeOfLinux);
        Files.writeString(Path.of("target", "calls.txt"), counts + "\n", UTF_8);
        assertThat(put).as(counts).isLessThanOrEqualTo(putOfLinux);
        assertThat(list).as(counts).isLessThanOrEqualTo(listOfLinux);
        assertThat(get).as(counts).isLessThanOrEqualTo(getOfLinux);
        assertThat(remove).as(counts).isLessThanOrEqualTo(removeOfLinux);
    }
}
