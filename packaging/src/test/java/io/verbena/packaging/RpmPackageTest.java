package io.verbena.packaging;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.apache.commons.compress.archivers.cpio.CpioArchiveEntry;
import org.eclipse.packager.rpm.RpmTag;
import org.eclipse.packager.rpm.parse.RpmInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class RpmPackageTest {
    @TempDir
    private Path folder;

    @Test
    void shouldSayWhatItIsAndNeeds() throws Exception {
        try (RpmInputStream rpm = open(write("one", "1.0.0-SNAPSHOT"))) {
            assertThat(rpm.getPayloadHeader().getTag(RpmTag.NAME)).isEqualTo("verbena");
            assertThat(rpm.getPayloadHeader().getTag(RpmTag.VERSION)).isEqualTo("1.0.0~SNAPSHOT");
            assertThat(rpm.getPayloadHeader().getTag(RpmTag.ARCH)).isEqualTo(Description.rpmArchitecture());
            assertThat((String[]) rpm.getPayloadHeader().getTag(RpmTag.REQUIRE_NAME))
                    .contains("/bin/sh", "/usr/sbin/useradd", "libz.so.1()(64bit)", "libc.so.6(GLIBC_2.34)(64bit)");
            assertThat((String) rpm.getPayloadHeader().getTag(RpmTag.PREREMOVE_SCRIPT))
                    .startsWith("[ \"$1\" = 0 ] || exit 0\n");
        }
    }

    @Test
    void shouldHoldFilesOfRootWithModesOfTheirOwn() throws Exception {
        try (RpmInputStream rpm = open(write("one", "1.0.0"))) {
            Map<String, Long> modes = new HashMap<>();
            CpioArchiveEntry each;
            while ((each = rpm.getCpioStream().getNextEntry()) != null) {
                modes.put(each.getName(), each.getMode() & 07777);
                assertThat(each.getTime()).isEqualTo(Built.TIME.getEpochSecond());
            }

            assertThat(modes)
                    .containsEntry("./usr/lib/verbena/bin/verbena", 0755L)
                    .containsEntry("./usr/lib/verbena/etc/startup.properties", 0644L)
                    .containsEntry("./etc/verbena", 0755L)
                    .containsKeys("./usr/share/man/man1/verbena.1", "./usr/bin/verbena")
                    // which no other package may have made
                    .containsKeys("./usr/share/bash-completion", "./usr/share/bash-completion/completions")
                    // directories of the system belong to others
                    .doesNotContainKeys("./usr", "./usr/bin", "./usr/share/man/man1", "./etc")
                    .doesNotContainKey("./usr/lib/verbena/bin/karaf");
            assertThat((String[]) rpm.getPayloadHeader().getTag(RpmTag.FILE_USERNAME))
                    .containsOnly("root");
            assertThat((String[]) rpm.getPayloadHeader().getTag(RpmTag.FILE_GROUPNAME))
                    .containsOnly("root");
        }
    }

    @Test
    void shouldBeTheSameTwice() throws Exception {
        Path one = write("one", "1.0.0");
        Path other = write("other", "1.0.0");

        assertThat(one).hasFileName("verbena-1.0.0-1." + Description.rpmArchitecture() + ".rpm");
        assertThat(other).hasSameBinaryContentAs(one);
    }

    private Path write(String name, String version) throws IOException {
        Path packages = Files.createDirectory(folder.resolve(name));
        return RpmPackage.write(Built.tree(folder), Built.description(version), packages);
    }

    private static RpmInputStream open(Path rpm) throws IOException {
        InputStream in = new BufferedInputStream(Files.newInputStream(rpm));
        RpmInputStream opened = new RpmInputStream(in);
        opened.getPayloadHeader();
        return opened;
    }
}
