package io.verbena.itests.linuxpeer;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.itests.VerbenaStack;
import io.verbena.itests.WireCapture;
import io.verbena.itests.WireReport;
import io.verbena.nfs.AttributeChanges;
import io.verbena.nfs.DirectoryEntry;
import io.verbena.nfs.NfsException;
import io.verbena.nfs.RemoteFile;
import io.verbena.nfs41.client.internal.mount.NfsMount;
import io.verbena.rpcrdma.ConnectionStatus;
import java.nio.ByteBuffer;
import java.nio.file.AccessDeniedException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Our client against Linux's server: each mount option takes effect, and all operations work with it. */
@AgainstLinux
class KnfsdOptionsIT {
    private static final String FOLDER = "/options";
    private static final String IN_GUEST = "/export" + FOLDER;
    private static final int MEBIBYTE = 1 << 20;

    private final LinuxGuest guest;
    private final VerbenaStack stack = new VerbenaStack();

    KnfsdOptionsIT(LinuxGuest guest) {
        this.guest = guest;
    }

    @BeforeEach
    void makeFolder() throws Exception {
        guest.run("mkdir -m 777 " + IN_GUEST);
    }

    @AfterEach
    void tidyUp() throws Exception {
        stack.close();
        guest.run("rm -r " + IN_GUEST);
    }

    private NfsMount mount(String options) throws Exception {
        return stack.mount(guest.nfs(), "/", options);
    }

    private ConnectionStatus connection() {
        return stack.transport().connections().get(0);
    }

    private String inGuest(String command) throws Exception {
        return guest.run("cd " + IN_GUEST + " && " + command);
    }

    /** Transfers long and short data and metadata in both directions, and checks them on both sides. */
    private void goThereAndBack(NfsMount mount) throws Exception {
        mount.createDirectory(FOLDER + "/made", 0755);
        for (int length : new int[] {3, 3000, 4097, 300_001}) {
            byte[] content = Contents.random(length, length);
            Contents.write(mount, FOLDER + "/made/" + length, content);
            assertThat(inGuest("sha256sum < made/" + length)).startsWith(Contents.sha256(content));
            assertThat(Contents.read(mount, FOLDER + "/made/" + length)).isEqualTo(content);
        }
        String target = "t".repeat(2000);
        mount.createSymbolicLink(FOLDER + "/made/link", target);
        assertThat(mount.readLink(FOLDER + "/made/link")).isEqualTo(target);
        assertThat(inGuest("readlink made/link")).isEqualTo(target + "\n");
        mount.setAttributes(FOLDER + "/made/3", AttributeChanges.NONE.withMode(0601));
        mount.rename(FOLDER + "/made/3", FOLDER + "/made/" + "x".repeat(200));
        mount.createLink(FOLDER + "/made/y", FOLDER + "/made/" + "x".repeat(200));
        assertThat(inGuest("stat -c '%a %h %s' made/y")).isEqualTo("601 2 3\n");
        inGuest("for i in $(seq 100); do : > made/entry-$i; done");
        assertThat(mount.list(FOLDER + "/made"))
                .extracting(DirectoryEntry::name)
                .hasSize(106)
                .doesNotHaveDuplicates();
        mount.remove(FOLDER + "/made/y");
        inGuest("rm -r made");
    }

    @Test
    void shouldShareOneSessionAmongConnections() throws Exception {
        try (NfsMount mount = mount("nconnect=4")) {
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
            while (!"4 of 4".equals(mount.settings().get("connections"))) {
                assertThat(System.nanoTime()).as("in time").isLessThan(deadline);
                Thread.onSpinWait();
            }
            goThereAndBack(mount);
            String established = "awk '$2 ~ /:4E51$/ && $4 == \"01\"' /proc/net/tcp | wc -l"; // port 20049
            assertThat(guest.run(established).strip()).isEqualTo("4");
            byte[] content = Contents.random(4, 16 * MEBIBYTE);
            Contents.write(mount, FOLDER + "/shared", content);
            assertThat(inGuest("sha256sum < shared")).startsWith(Contents.sha256(content));
            assertThat(Contents.read(mount, FOLDER + "/shared")).isEqualTo(content);
            assertThat(stack.transport().connections())
                    .hasSize(4)
                    .allSatisfy(each -> assertThat(each.counters().get("calls")).isGreaterThan(1));
        }
    }

    @ParameterizedTest
    @CsvSource({"crc, on", "nocrc, off"})
    void shouldProtectMessagesByChecksums(String option, String expected) throws Exception {
        try (NfsMount mount = mount(option)) {
            assertThat(mount.settings()).containsEntry("crc", expected);
            assertThat(connection().settings()).containsEntry("crc", expected);
            goThereAndBack(mount);
        }
    }

    @ParameterizedTest
    // the server receives and sends at most 4096 octets
    @CsvSource({"1024, 1024", "2048, 2048", "4096, 4096", "8192, 4096", "262144, 4096"})
    void shouldSendMessagesOfTheSizeThatBothTake(int wanted, String agreed) throws Exception {
        try (NfsMount mount = mount("inline=" + wanted)) {
            assertThat(connection().settings())
                    .containsEntry("callThreshold", agreed)
                    .containsEntry("replyThreshold", agreed);
            goThereAndBack(mount);
        }
    }

    @ParameterizedTest
    @CsvSource({"invalidate, true", "noinvalidate, false"})
    void shouldLetTheServerInvalidateMemoryOnlyWhereOffered(String option, boolean isOffered, @TempDir Path folder)
            throws Exception {
        WireCapture capture = WireCapture.start(
                folder.resolve("wire.pcap"), "tcp port " + guest.nfs().getPort());
        try (NfsMount mount = mount(option)) {
            // Linux 6.1's flag says that it does not support invalidation, and yet it invalidates where it may
            assertThat(connection().settings().get("remoteInvalidation")).isIn("off", isOffered ? "on" : "off");
            goThereAndBack(mount);
        } finally {
            capture.stop();
        }
        WireReport report = WireReport.of(folder.resolve("wire.pcap"), folder.resolve("aligned.pcap"));
        assertThat(report.invalidations() > 0)
                .as("Sends with Invalidate: %d", report.invalidations())
                .isEqualTo(isOffered);
    }

    @ParameterizedTest
    @ValueSource(ints = {4096, 65_536, 1_048_576})
    void shouldCutTransfersToTheirSizes(int size) throws Exception {
        // without checksums, because siw miscalculates some, and a retransmitted call would count twice
        try (NfsMount mount = mount("nocrc,rsize=" + size + ",wsize=" + size)) {
            assertThat(mount.settings()).containsEntry("rsize", "" + size).containsEntry("wsize", "" + size);
            byte[] content = Contents.random(size, MEBIBYTE);
            try (RemoteFile file = mount.open(
                    FOLDER + "/file",
                    Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.READ),
                    0644)) {
                int pieces = MEBIBYTE / size;
                long before = connection().counters().get("chunkedCalls");
                file.write(ByteBuffer.wrap(content), 0);
                assertThat(connection().counters().get("chunkedCalls") - before).isEqualTo(pieces);
                assertThat(inGuest("sha256sum < file")).startsWith(Contents.sha256(content));
                ByteBuffer back = ByteBuffer.allocateDirect(MEBIBYTE);
                assertThat(file.read(back, 0)).isEqualTo(MEBIBYTE);
                assertThat(connection().counters().get("chunkedCalls") - before).isEqualTo(2L * pieces);
                assertThat(back.flip()).isEqualTo(ByteBuffer.wrap(content));
            }
            goThereAndBack(mount);
        }
    }

    @Test
    void shouldReadAndWriteInDifferentSizes() throws Exception {
        try (NfsMount mount = mount("rsize=1024,wsize=131072")) {
            assertThat(mount.settings()).containsEntry("rsize", "1024").containsEntry("wsize", "131072");
            goThereAndBack(mount);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 16, 64})
    void shouldKeepManyRequestsInFlight(int slots) throws Exception {
        int length = 20_000;
        try (NfsMount mount = mount("slots=" + slots)) {
            int granted = Integer.parseInt(mount.settings().get("slots"));
            assertThat(granted).isBetween(Math.min(slots, 16), slots);
            List<RemoteFile> files = new ArrayList<>();
            List<CompletableFuture<?>> pending = new ArrayList<>();
            for (int i = 0; i < slots; i++) {
                files.add(mount.open(
                        FOLDER + "/file-" + i,
                        Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.READ),
                        0644));
            }
            for (int i = 0; i < slots; i++) {
                pending.add(files.get(i).writeAsync(ByteBuffer.wrap(Contents.random(i, length)), 0));
            }
            awaitAll(pending);
            for (RemoteFile file : files) {
                file.sync();
            }
            List<String> digests = inGuest("sha256sum $(seq -f file-%.0f 0 " + (slots - 1) + ")")
                    .lines()
                    .toList();
            List<ByteBuffer> buffers = new ArrayList<>();
            for (int i = 0; i < slots; i++) {
                assertThat(digests.get(i)).startsWith(Contents.sha256(Contents.random(i, length)));
                // four readers of each file, each for a quarter
                for (int quarter = 0; quarter < 4; quarter++) {
                    ByteBuffer buffer = ByteBuffer.allocateDirect(length / 4);
                    buffers.add(buffer);
                    pending.add(files.get(i).readAsync(buffer, (long) quarter * (length / 4)));
                }
            }
            awaitAll(pending);
            for (int i = 0; i < buffers.size(); i++) {
                ByteBuffer expected = ByteBuffer.wrap(Contents.random(i / 4, length), i % 4 * (length / 4), length / 4);
                assertThat(buffers.get(i).flip()).isEqualTo(expected);
            }
            for (RemoteFile file : files) {
                file.close();
            }
        }
    }

    private static void awaitAll(List<CompletableFuture<?>> pending) throws Exception {
        CompletableFuture.allOf(pending.toArray(CompletableFuture[]::new)).get(60, TimeUnit.SECONDS);
    }

    @Test
    void shouldCallAsTheUserNamed() throws Exception {
        inGuest("mkdir -m 770 shared && chgrp 77 shared && mkdir -m 700 private");
        try (NfsMount mount = mount("uid=1234,gid=5678,groups=76:77,machine=elsewhere")) {
            Contents.write(mount, FOLDER + "/shared/file", "mine".getBytes(UTF_8));
            mount.createDirectory(FOLDER + "/directory", 0750);
            assertThat(inGuest("stat -c '%u %g' shared/file directory")).isEqualTo("1234 5678\n1234 5678\n");
            assertThat(mount.attributes(FOLDER + "/shared/file", true).owner()).isEqualTo("1234");
            assertThatThrownBy(() -> mount.list(FOLDER + "/private")).isInstanceOf(AccessDeniedException.class);
        }
        try (NfsMount mount = mount("uid=1235,gid=5678")) {
            assertThatThrownBy(() -> mount.list(FOLDER + "/shared")).isInstanceOf(AccessDeniedException.class);
            assertThat(mount.list(FOLDER + "/directory")).isEmpty();
        }
        try (NfsMount mount = mount("uid=0,gid=0")) {
            assertThat(mount.list(FOLDER + "/private")).isEmpty();
        }
    }

    @Test
    void shouldCallAsNobodyWhereTheServerLets() throws Exception {
        // a caller without a credential must be allowed through the root as well
        guest.run("mkdir -p /export/anybody && mount -t tmpfs -o size=8m,mode=777 export /export/anybody"
                + " && exportfs -o rw,fsid=77,insecure,no_subtree_check,sec=none '*:/export/anybody'"
                + " && exportfs -o rw,fsid=0,insecure,no_subtree_check,sec=sys:none '*:/export'");
        try {
            try (NfsMount mount = stack.mount(guest.nfs(), "/anybody", "sec=none")) {
                byte[] content = Contents.random(1, 100_000);
                Contents.write(mount, "/file", content);
                assertThat(guest.run("sha256sum < /export/anybody/file")).startsWith(Contents.sha256(content));
                assertThat(guest.run("stat -c '%u' /export/anybody/file")).isEqualTo("65534\n");
                assertThat(Contents.read(mount, "/file")).isEqualTo(content);
            }
        } finally {
            guest.run("exportfs -ra && umount -l /export/anybody && rmdir /export/anybody");
        }
    }

    @Test
    void shouldTellThatTheServerWantsAnotherSecurity() {
        assertThatThrownBy(() -> mount("sec=none"))
                .isInstanceOfSatisfying(
                        NfsException.class, e -> assertThat(e.status()).isEqualTo("NFS4ERR_WRONGSEC"))
                .hasMessageContaining("does not take security 'sec=none'")
                .hasMessageContaining("it takes sys");
    }
}
