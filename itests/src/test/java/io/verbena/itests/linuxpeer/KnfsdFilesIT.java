package io.verbena.itests.linuxpeer;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.itests.VerbenaStack;
import io.verbena.nfs.AttributeChanges;
import io.verbena.nfs.RemoteFile;
import io.verbena.nfs41.client.internal.mount.NfsMount;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.OpenOption;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Our client against Linux's server: contents of files. */
@AgainstLinux
class KnfsdFilesIT {
    private static final String FOLDER = "/files";
    private static final String IN_GUEST = "/export" + FOLDER;
    private static final int PAGE = 4096;
    private static final int MEBIBYTE = 1 << 20;
    private static final int SIW_TAGGED_PAYLOAD = 1436; // the most payload in an FPDU of the guest
    private static final int FPDU_OVERHEAD = 2 + 14 + 4; // length, tagged header, CRC

    private final LinuxGuest guest;
    private final VerbenaStack stack = new VerbenaStack();
    private NfsMount mount;

    KnfsdFilesIT(LinuxGuest guest) {
        this.guest = guest;
    }

    private void mount(String options) throws Exception {
        mount = stack.mount(guest.nfs(), "/", options);
    }

    @BeforeEach
    void makeFolder() throws Exception {
        guest.run("mkdir " + IN_GUEST);
    }

    @AfterEach
    void tidyUp() throws Exception {
        if (mount != null) {
            mount.close();
        }
        stack.close();
        guest.run("rm -r " + IN_GUEST);
    }

    private RemoteFile open(String name, OpenOption... options) throws Exception {
        return mount.open(FOLDER + "/" + name, Set.of(options), 0644);
    }

    private String sha256InGuest(String name) throws Exception {
        return guest.run("sha256sum < " + IN_GUEST + "/" + name).substring(0, 64);
    }

    private static void addAround(Set<Integer> sizes, int size, int distance) {
        for (int i = -distance; i <= distance; i++) {
            sizes.add(size + i);
        }
    }

    @ParameterizedTest
    @CsvSource({"'', 4096", "'inline=1024,rsize=65536,wsize=65536', 1024", "'nocrc,rsize=4096,wsize=4096', 4096"})
    void shouldKeepFilesOfEverySizeThatMatters(String options, int threshold) throws Exception {
        mount(options);
        int unit = Integer.parseInt(mount.settings().get("wsize"));
        assertThat(mount.settings().get("rsize")).isEqualTo("" + unit);
        Set<Integer> sizes = new TreeSet<>();
        for (int size = 0; size <= 5; size++) {
            sizes.add(size);
        }
        try (RemoteFile file = open("probe", StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            int limit = InlineLimit.find(stack, threshold, length -> file.write(ByteBuffer.allocate(length), 0));
            addAround(sizes, limit, 6);
        }
        try (RemoteFile file = open("probe", StandardOpenOption.READ)) {
            int limit = InlineLimit.find(stack, threshold, length -> file.read(ByteBuffer.allocate(length), 0));
            addAround(sizes, limit, 6);
        }
        int ourTaggedPayload = (Integer.parseInt(mount.settings().get("mtu")) - FPDU_OVERHEAD) & ~3;
        for (int boundary :
                new int[] {threshold, SIW_TAGGED_PAYLOAD, 2 * SIW_TAGGED_PAYLOAD, PAGE, 2 * PAGE, ourTaggedPayload, unit
                }) {
            addAround(sizes, boundary, 3);
        }
        Map<String, String> written = new HashMap<>();
        for (int size : sizes) {
            byte[] content = Contents.random(size, size);
            Contents.write(mount, FOLDER + "/size-" + size, content);
            written.put("size-" + size, Contents.sha256(content));
        }

        Map<String, String> inGuest = new HashMap<>();
        guest.run("cd " + IN_GUEST + " && rm probe && sha256sum *")
                .lines()
                .forEach(line -> inGuest.put(line.substring(66), line.substring(0, 64)));
        assertThat(inGuest).isEqualTo(written);
        for (int size : sizes) {
            assertReadsBack(size);
        }
    }

    /** Reads exactly the size of the file, and more than the size. */
    private void assertReadsBack(int size) throws Exception {
        byte[] content = Contents.random(size, size);
        try (RemoteFile file = open("size-" + size, StandardOpenOption.READ)) {
            ByteBuffer exact = ByteBuffer.allocateDirect(size);
            assertThat(file.read(exact, 0)).isEqualTo(size);
            assertThat(exact.flip()).as("%d octets", size).isEqualTo(ByteBuffer.wrap(content));
            ByteBuffer more = ByteBuffer.allocate(size + 3);
            assertThat(file.read(more, 0)).isEqualTo(size == 0 ? -1 : size);
            assertThat(more.flip()).as("%d octets", size).isEqualTo(ByteBuffer.wrap(content));
        }
    }

    /** More than is kept until a COMMIT. By hand, {@code -Dverbena.file.size=256} moves 256 MiB. */
    @Test
    void shouldMoveALargeFile() throws Exception {
        int mebibytes = Integer.getInteger("verbena.file.size", 96);
        mount("");
        MessageDigest written = Contents.sha256();
        byte[] block = Contents.random(1, MEBIBYTE);
        try (RemoteFile file = open("big", StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                SeekableByteChannel channel = file.channel()) {
            for (int i = 0; i < mebibytes; i++) {
                Arrays.fill(block, i, 2 * i + 1, (byte) i); // all blocks differ
                written.update(block);
                assertThat(channel.write(ByteBuffer.wrap(block))).isEqualTo(MEBIBYTE);
            }
        }
        String expected = Contents.hex(written.digest());
        assertThat(sha256InGuest("big")).isEqualTo(expected);

        MessageDigest read = Contents.sha256();
        ByteBuffer buffer = ByteBuffer.allocate(MEBIBYTE);
        try (RemoteFile file = open("big", StandardOpenOption.READ);
                SeekableByteChannel channel = file.channel()) {
            while (channel.read(buffer.clear()) >= 0) {
                read.update(buffer.flip());
            }
            assertThat(channel.position()).isEqualTo((long) mebibytes * MEBIBYTE);
        }
        assertThat(Contents.hex(read.digest())).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "rsize=4096,wsize=4096", "inline=1024,rsize=12288,wsize=8192"})
    void shouldLeaveHolesWhereNothingWasWritten(String options) throws Exception {
        mount(options);
        byte[] content = new byte[MEBIBYTE + 5 * PAGE + 123];
        try (RemoteFile file = open("sparse", StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            // from the middle of a page to its end, across the end of a page, and a single octet far behind
            for (int[] piece :
                    new int[][] {{3 * PAGE + 1000, PAGE - 1000}, {9 * PAGE - 7, 20}, {content.length - 1, 1}}) {
                byte[] data = Contents.random(piece[0], piece[1]);
                System.arraycopy(data, 0, content, piece[0], piece[1]);
                file.write(ByteBuffer.wrap(data), piece[0]);
            }
        }
        assertThat(sha256InGuest("sparse")).isEqualTo(Contents.sha256(content));
        assertThat(guest.run("stat -c '%s %b' " + IN_GUEST + "/sparse"))
                .as("size, and blocks of 512 octets in four pages")
                .isEqualTo(content.length + " 32\n");
        assertThat(Contents.read(mount, FOLDER + "/sparse")).isEqualTo(content);
        assertThat(mount.attributes(FOLDER + "/sparse", true).spaceUsed()).isEqualTo(4 * PAGE);

        guest.run("fallocate -p -o " + 8 * PAGE + " -l " + 2 * PAGE + " " + IN_GUEST + "/sparse");
        Arrays.fill(content, 8 * PAGE, 10 * PAGE, (byte) 0);
        assertThat(Contents.read(mount, FOLDER + "/sparse")).isEqualTo(content);
        assertThat(mount.attributes(FOLDER + "/sparse", true).spaceUsed()).isEqualTo(2 * PAGE);
    }

    @Test
    void shouldAppendBehindWhatOthersAppended() throws Exception {
        mount("");
        StringBuilder expected = new StringBuilder();
        for (int i = 0; i < 4; i++) {
            try (RemoteFile file = open("log", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
                    SeekableByteChannel channel = file.channel()) {
                for (String line : new String[] {"ours " + i + "\n", "\n", "x".repeat(i * 3000) + "\n"}) {
                    channel.write(ByteBuffer.wrap(line.getBytes(UTF_8)));
                    expected.append(line);
                }
            }
            guest.run("echo the server\\'s " + i + " >> " + IN_GUEST + "/log");
            expected.append("the server's ").append(i).append('\n');
        }
        assertThat(guest.run("cat " + IN_GUEST + "/log")).isEqualTo(expected.toString());
        assertThat(new String(Contents.read(mount, FOLDER + "/log"), UTF_8)).isEqualTo(expected.toString());
    }

    @Test
    void shouldTruncateDownAndUp() throws Exception {
        mount("");
        byte[] content = Contents.random(7, 3 * PAGE + 5);
        try (RemoteFile file =
                open("cut", StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.READ)) {
            file.write(ByteBuffer.wrap(content), 0);
            for (int size : new int[] {3 * PAGE, 3 * PAGE - 1, 5 * PAGE + 1, 2 * PAGE + 1, 70_000, 1, 0, 3}) {
                file.truncate(size); // truncated octets must not come back
                content = Arrays.copyOf(content, size);
                assertThat(file.attributes().size()).isEqualTo(size);
                assertThat(sha256InGuest("cut")).as("cut to %d", size).isEqualTo(Contents.sha256(content));
                assertThat(Contents.read(mount, FOLDER + "/cut")).isEqualTo(content);
            }
            file.write(ByteBuffer.wrap(new byte[] {1, 2, 3, 4, 5}), 0);
        }
        mount.setAttributes(FOLDER + "/cut", AttributeChanges.NONE.withSize(2));
        assertThat(sha256InGuest("cut")).isEqualTo(Contents.sha256(new byte[] {1, 2}));
        open("cut", StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING)
                .close();
        assertThat(guest.run("stat -c %s " + IN_GUEST + "/cut")).isEqualTo("0\n");
    }

    @Test
    void shouldReachBeyondFourGibibytes() throws Exception {
        mount("");
        long[] places = {(1L << 31) - 10, (1L << 32) - 10, (5L << 30) + 1, (1L << 40) + 4094};
        try (RemoteFile file = open("far", StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            for (long place : places) {
                file.write(ByteBuffer.wrap(Contents.random((int) (place >> 12), 5000)), place);
            }
        }
        assertThat(guest.run("stat -c %s " + IN_GUEST + "/far")).isEqualTo((places[3] + 5000) + "\n");
        try (RemoteFile file = open("far", StandardOpenOption.READ)) {
            for (long place : places) {
                byte[] expected = Contents.random((int) (place >> 12), 5000);
                assertThat(guest.run("dd status=none iflag=skip_bytes,count_bytes bs=64K count=5000 skip=" + place
                                + " if=" + IN_GUEST + "/far | sha256sum"))
                        .startsWith(Contents.sha256(expected));
                ByteBuffer found = ByteBuffer.allocate(5000);
                assertThat(file.read(found, place)).isEqualTo(5000);
                assertThat(found.array()).as("at %d", place).isEqualTo(expected);
                ByteBuffer hole = ByteBuffer.allocate(PAGE);
                assertThat(file.read(hole, (place & -PAGE) - PAGE)).isEqualTo(PAGE);
                assertThat(hole.array()).containsOnly(0);
            }
            assertThat(file.read(ByteBuffer.allocate(1), places[3] + 5000)).isEqualTo(-1);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "rsize=4096,wsize=4096", "inline=1024,nocrc,rsize=1031,wsize=1033"})
    void shouldReadAndWriteAtAnyOffset(String options) throws Exception {
        mount(options);
        int length = 200_007;
        guest.run("head -c " + length + " /dev/urandom > " + IN_GUEST + "/mixed");
        byte[] content = Contents.read(mount, FOLDER + "/mixed");
        assertThat(Contents.sha256(content)).isEqualTo(sha256InGuest("mixed"));
        Random random = new Random(42);
        try (RemoteFile file = open("mixed", StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            for (int i = 0; i < 60; i++) {
                int offset = random.nextInt(length);
                int count = 1 + random.nextInt(1 << (1 + random.nextInt(15)));
                ByteBuffer buffer = i % 2 == 0 ? ByteBuffer.allocate(count) : ByteBuffer.allocateDirect(count);
                int expected = Math.min(count, length - offset);
                assertThat(file.read(buffer, offset)).isEqualTo(expected);
                assertThat(buffer.flip())
                        .as("%d octets at %d", count, offset)
                        .isEqualTo(ByteBuffer.wrap(content, offset, expected));
                byte[] data = Contents.random(i, expected);
                System.arraycopy(data, 0, content, offset, expected);
                file.write(buffer.clear().limit(expected).put(0, data), offset);
            }
        }
        assertThat(sha256InGuest("mixed")).isEqualTo(Contents.sha256(content));
    }
}
