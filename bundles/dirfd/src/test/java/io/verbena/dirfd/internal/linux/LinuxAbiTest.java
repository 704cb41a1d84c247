package io.verbena.dirfd.internal.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.dirfd.Directory;
import io.verbena.dirfd.Errno;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Compares constants and offsets with this host's headers, where there is a C compiler. */
class LinuxAbiTest {
    private static final String HEADERS =
            """
            #define _GNU_SOURCE
            #include <stddef.h>
            #include <stdio.h>
            #include <fcntl.h>
            #include <errno.h>
            #include <sys/stat.h>
            #include <sys/statvfs.h>
            #include <sys/syscall.h>
            """;

    private static Map<String, Long> expected() {
        Abi abi = Abi.ofThisPlatform();
        Map<String, Long> values = new LinkedHashMap<>();
        values.put("O_DIRECTORY", (long) abi.oDirectory());
        values.put("O_NOFOLLOW", (long) abi.oNoFollow());
        values.put("SYS_getdents64", (long) abi.sysGetdents64());
        values.put("O_RDONLY", (long) Abi.O_RDONLY);
        values.put("O_WRONLY", (long) Abi.O_WRONLY);
        values.put("O_RDWR", (long) Abi.O_RDWR);
        values.put("O_CREAT", (long) Abi.O_CREAT);
        values.put("O_EXCL", (long) Abi.O_EXCL);
        values.put("O_CLOEXEC", (long) Abi.O_CLOEXEC);
        values.put("O_PATH", (long) Abi.O_PATH);
        values.put("AT_FDCWD", (long) Abi.AT_FDCWD);
        values.put("AT_SYMLINK_NOFOLLOW", (long) Abi.AT_SYMLINK_NOFOLLOW);
        values.put("AT_REMOVEDIR", (long) Abi.AT_REMOVEDIR);
        values.put("AT_SYMLINK_FOLLOW", (long) Abi.AT_SYMLINK_FOLLOW);
        values.put("AT_NO_AUTOMOUNT", (long) Abi.AT_NO_AUTOMOUNT);
        values.put("AT_EMPTY_PATH", (long) Abi.AT_EMPTY_PATH);
        values.put("STATX_BASIC_STATS", (long) Abi.STATX_BASIC_STATS);
        values.put("STATX_BTIME", (long) Abi.STATX_BTIME);
        values.put("UTIME_OMIT", Abi.UTIME_OMIT);
        values.put("sizeof(struct statx)", (long) StatxResult.SIZE);
        values.put("offsetof(struct statx, stx_mask)", (long) StatxResult.MASK_AT);
        values.put("offsetof(struct statx, stx_nlink)", (long) StatxResult.LINK_COUNT_AT);
        values.put("offsetof(struct statx, stx_uid)", (long) StatxResult.UID_AT);
        values.put("offsetof(struct statx, stx_gid)", (long) StatxResult.GID_AT);
        values.put("offsetof(struct statx, stx_mode)", (long) StatxResult.MODE_AT);
        values.put("offsetof(struct statx, stx_ino)", (long) StatxResult.INO_AT);
        values.put("offsetof(struct statx, stx_size)", (long) StatxResult.SIZE_AT);
        values.put("offsetof(struct statx, stx_blocks)", (long) StatxResult.BLOCKS_AT);
        values.put("offsetof(struct statx, stx_atime)", (long) StatxResult.ACCESSED_AT);
        values.put("offsetof(struct statx, stx_btime)", (long) StatxResult.CREATED_AT);
        values.put("offsetof(struct statx, stx_ctime)", (long) StatxResult.CHANGED_AT);
        values.put("offsetof(struct statx, stx_mtime)", (long) StatxResult.MODIFIED_AT);
        values.put("offsetof(struct statx, stx_rdev_major)", (long) StatxResult.RDEV_AT);
        values.put("offsetof(struct statx, stx_dev_major)", (long) StatxResult.DEVICE_AT);
        values.put("sizeof(struct statvfs)", (long) StatvfsResult.SIZE);
        values.put("offsetof(struct statvfs, f_frsize)", (long) StatvfsResult.FRAGMENT_AT);
        values.put("offsetof(struct statvfs, f_blocks)", (long) StatvfsResult.BLOCKS_AT);
        values.put("offsetof(struct statvfs, f_bfree)", (long) StatvfsResult.FREE_AT);
        values.put("offsetof(struct statvfs, f_bavail)", (long) StatvfsResult.AVAILABLE_AT);
        values.put("offsetof(struct statvfs, f_files)", (long) StatvfsResult.FILES_AT);
        values.put("offsetof(struct statvfs, f_ffree)", (long) StatvfsResult.FREE_FILES_AT);
        values.put("offsetof(struct statvfs, f_favail)", (long) StatvfsResult.AVAILABLE_FILES_AT);
        for (Errno errno : Errno.values()) {
            if (errno != Errno.OTHER) {
                values.put(errno.name(), (long) errno.number());
            }
        }
        return values;
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void shouldHaveTheNumbersOfTheHeaders(@TempDir Path directory) throws Exception {
        Map<String, Long> expected = new TreeMap<>(expected());
        assertThat(valuesOfTheHeaders(directory, new ArrayList<>(expected.keySet())))
                .isEqualTo(expected);
    }

    private static Map<String, Long> valuesOfTheHeaders(Path directory, List<String> expressions) throws Exception {
        StringBuilder source = new StringBuilder(HEADERS).append("int main(void) {\n");
        for (String each : expressions) {
            source.append("printf(\"%ld\\n\", (long) (").append(each).append("));\n");
        }
        Path file = Files.writeString(directory.resolve("probe.c"), source.append("return 0; }\n"));
        Path program = directory.resolve("probe");
        Assumptions.assumeTrue(
                run("cc", "-o", program.toString(), file.toString()) != null, "there is no C compiler, or no headers");
        List<String> lines = run(program.toString()).lines().toList();
        Map<String, Long> values = new TreeMap<>();
        for (int i = 0; i < expressions.size(); i++) {
            values.put(expressions.get(i), Long.parseLong(lines.get(i)));
        }
        return values;
    }

    /** The output, or null where the command failed. */
    private static String run(String... command) throws InterruptedException {
        try {
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return process.waitFor() == 0 ? output : null;
        } catch (IOException e) {
            return null;
        }
    }

    @Test
    void shouldKnowTwoArchitecturesOfLinux() {
        assertThat(Abi.of("Linux", "amd64", ByteOrder.LITTLE_ENDIAN).oNoFollow())
                .isEqualTo(0400000);
        assertThat(Abi.of("Linux", "aarch64", ByteOrder.LITTLE_ENDIAN).oNoFollow())
                .isEqualTo(0100000);
        assertThat(Abi.of("Linux", "s390x", ByteOrder.BIG_ENDIAN)).isNull();
        assertThat(Abi.of("Linux", "riscv64", ByteOrder.LITTLE_ENDIAN)).isNull();
        assertThat(Abi.of("Mac OS X", "aarch64", ByteOrder.LITTLE_ENDIAN)).isNull();
    }

    private static byte[] record(int length, String name) {
        ByteBuffer record = ByteBuffer.allocate(length).order(ByteOrder.nativeOrder());
        record.putShort(16, (short) length);
        record.put(19, name.getBytes(StandardCharsets.US_ASCII));
        return record.array();
    }

    private static List<String> parsed(byte[] records) throws IOException {
        List<String> names = new ArrayList<>();
        Directory.NameConsumer consumer = name -> names.add(new String(name, StandardCharsets.US_ASCII));
        DirectoryEntries.parse(records, consumer);
        return names;
    }

    @Test
    void shouldLeaveOutDotsAndRefuseRecordsThatDoNotFit() throws Exception {
        assertThat(parsed(record(24, "abcde"))).containsExactly("abcde");
        assertThat(parsed(record(24, "."))).isEmpty();
        assertThat(parsed(record(24, ".."))).isEmpty();
        assertThat(parsed(record(24, "..."))).containsExactly("...");
        byte[] tooLong = record(24, "a");
        tooLong[16] = 25;
        assertThatThrownBy(() -> parsed(tooLong)).isInstanceOf(IOException.class);
        byte[] empty = record(24, "a");
        empty[16] = 0;
        assertThatThrownBy(() -> parsed(empty)).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> parsed(new byte[10])).isInstanceOf(IOException.class);
    }
}
