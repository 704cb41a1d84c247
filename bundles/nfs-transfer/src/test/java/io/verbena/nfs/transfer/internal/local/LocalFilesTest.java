package io.verbena.nfs.transfer.internal.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nfs.FileType;
import io.verbena.nfs.transfer.internal.tree.FileEntry;
import io.verbena.nfs.transfer.internal.tree.ZeroBlocks;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests how files of this host are read, which attributes of them are known, and when two files count as equal. */
class LocalFilesTest {
    private static final int BLOCK_SIZE = 1 << 20;

    @TempDir
    Path local;

    @ParameterizedTest
    @CsvSource({
        "07.123456789, 07.123456789, true",
        "07.123456789, 07.123456788, false",
        "07.123456789, 07.123456700, true", // 100 nanoseconds
        "07.123456789, 07.123456000, true",
        "07.123456789, 07.123455000, false",
        "07.123456789, 07.123000000, true",
        "07.123456789, 07.120000000, true", // exFAT
        "07.123456789, 07.000000000, true",
        "07.123456789, 08.000000000, false",
        "07.000000000, 07.000000001, true",
        "06.999999999, 07.000000000, false"
    })
    void shouldCompareTimesAsFinelyAsBothAreKept(String one, String other, boolean isSame) {
        Instant first = Instant.parse("2021-03-04T05:06:" + one + "Z");
        Instant second = Instant.parse("2021-03-04T05:06:" + other + "Z");

        assertThat(node(first).isSameBySizeAndTime(node(second))).isEqualTo(isSame);
        assertThat(node(second).isSameBySizeAndTime(node(first))).isEqualTo(isSame);
    }

    private static FileEntry node(Instant modified) {
        return new FileEntry("x", FileType.REGULAR, 10, 0_644, modified, null);
    }

    @ParameterizedTest
    @CsvSource({
        "trusted.a, true",
        "security.a, true",
        "security.selinux, false",
        "system.nfs4_acl, false",
        "system.posix_acl_access, true",
        "user.a, true"
    })
    void shouldTellOfExtendedAttributesOfAllNamespaces(String name, boolean tells) {
        assertThat(LocalAttributes.areOwn(List.of("security.ima", name))).isEqualTo(tells);
    }

    @Test
    void shouldNotReadOnInAnotherFileThatHasTakenTheName() throws Exception {
        Path file = local.resolve("file");
        try (RandomAccessFile content = new RandomAccessFile(file.toFile(), "rw")) {
            content.setLength(4 << 20);
        }
        ByteBuffer block = ByteBuffer.allocateDirect(BLOCK_SIZE + DirectRead.ALIGNMENT)
                .alignedSlice(DirectRead.ALIGNMENT)
                .limit(BLOCK_SIZE)
                .slice();
        try (LocalSource source = new LocalSource(NamedFile.opening(file))) {
            source.read(block, 0).get();
            byte[] other = new byte[4 << 20];
            Arrays.fill(other, (byte) 1);
            Files.write(local.resolve("other"), other);
            Files.move(local.resolve("other"), file, StandardCopyOption.REPLACE_EXISTING);

            source.read(block.clear(), 1 << 20).get();

            assertThat(ZeroBlocks.isZero(block.flip())).isTrue();
        }
    }
}
