package io.verbena.packaging;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class DebPackageTest {
    @TempDir
    private Path folder;

    @Test
    void shouldSayWhatItIsAndNeeds() throws Exception {
        List<String> control =
                DebPackage.control(Built.description("1.0.0-SNAPSHOT")).lines().toList();

        assertThat(control)
                .contains(
                        "Package: verbena",
                        "Version: 1.0.0~SNAPSHOT",
                        "Architecture: " + Description.debianArchitecture(),
                        "Description: " + Description.SUMMARY,
                        " " + Description.TEXT.get(0))
                .noneMatch(line -> line.startsWith("Homepage:"))
                .noneMatch(String::isBlank);
        assertThat(control.stream().filter(line -> line.startsWith("Depends:")).findFirst())
                .get()
                .asString()
                .contains("libc6 (>= 2.34)", "zlib1g", "passwd");
        assertThat(DebPackage.control(Built.description("1.0.0", "https://verbena.example")))
                .contains("\nHomepage: https://verbena.example\nDescription:");
    }

    @Test
    void shouldHoldFilesOfRootWithModesOfTheirOwn() throws Exception {
        Map<String, byte[]> members = write("one");
        Map<String, TarArchiveEntry> entries = Built.entries(members.get("data.tar.gz")).stream()
                .collect(Collectors.toMap(TarArchiveEntry::getName, Function.identity()));

        assertThat(entries.values())
                .allMatch(each -> each.getUserName().equals("root")
                        && each.getGroupName().equals("root")
                        && each.getLongUserId() == 0
                        && each.getLongGroupId() == 0)
                .allMatch(each -> each.getLastModifiedDate().toInstant().equals(Built.TIME));
        assertThat(mode(entries, "./usr/lib/verbena/bin/verbena")).isEqualTo(0755);
        assertThat(mode(entries, "./usr/lib/verbena/jre/bin/java")).isEqualTo(0755);
        assertThat(mode(entries, "./usr/lib/verbena/etc/startup.properties")).isEqualTo(0644);
        assertThat(mode(entries, "./etc/verbena/")).isEqualTo(0755);
        assertThat(entries.get("./usr/bin/verbena").getLinkName()).isEqualTo("../lib/verbena/bin/verbena");
        // the distribution's pages of the manual and completions; of scripts only the launcher
        assertThat(entries)
                .containsKeys("./usr/share/man/man1/verbena.1", "./usr/share/bash-completion/completions/verbena")
                .doesNotContainKey("./usr/lib/verbena/bin/karaf");
        assertThat(mode(entries, "./etc/verbena/sample.conf")).isEqualTo(0644);
        assertThat(Built.text(members.get("control.tar.gz"), "./conffiles"))
                .isEqualToIgnoringNewLines("/etc/verbena/sample.conf");
    }

    @Test
    void shouldBeInTheOrderOfNames() throws Exception {
        List<String> names = Built.entries(write("one").get("data.tar.gz")).stream()
                .map(TarArchiveEntry::getName)
                .filter(name -> name.startsWith("./usr/"))
                .map(name -> name.replaceFirst("/$", ""))
                .toList();

        assertThat(names).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void shouldRunScriptsThatStopAtAFailure() throws Exception {
        byte[] control = write("one").get("control.tar.gz");

        for (String script : List.of("./postinst", "./prerm", "./postrm")) {
            assertThat(Built.text(control, script))
                    .startsWith("#!/bin/sh\nset -e\n")
                    .endsWith("\n");
        }
        assertThat(Built.text(control, "./postrm"))
                .contains("if [ \"$1\" = purge ]; then\n", "\n    rm -rf /var/lib/verbena /etc/verbena\n");
        assertThat(Built.text(control, "./prerm")).contains("if [ \"$1\" = remove ]; then\n");
    }

    @Test
    void shouldBeTheSameTwice() throws Exception {
        FileTree tree = Built.tree(folder);
        Path one = DebPackage.write(tree, Built.description("1.0.0"), Files.createDirectory(folder.resolve("one")));
        Path other = DebPackage.write(tree, Built.description("1.0.0"), Files.createDirectory(folder.resolve("other")));

        assertThat(one).hasFileName("verbena_1.0.0_" + Description.debianArchitecture() + ".deb");
        assertThat(other).hasSameBinaryContentAs(one);
    }

    private static int mode(Map<String, TarArchiveEntry> entries, String name) {
        return entries.get(name).getMode() & 07777;
    }

    private Map<String, byte[]> write(String name) throws Exception {
        Path packages = Files.createDirectory(folder.resolve(name));
        return Built.members(DebPackage.write(Built.tree(folder), Built.description("1.0.0"), packages));
    }
}
