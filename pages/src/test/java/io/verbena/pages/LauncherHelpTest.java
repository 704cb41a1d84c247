package io.verbena.pages;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** How the launcher's help is read. */
final class LauncherHelpTest {
    static final Path LAUNCHER = Path.of("../karaf-distro/src/main/resources/bin/verbena");

    private static final String TEXT =
            """
            usage() {
                cat <<'USAGE'
            Usage: verbena            a shell
                   verbena serve DIR  exports DIR,
                                      as a service does
                   verbena -c 'COMMANDS' [ARG...]
                   verbena --help | --version

            Options before these:
              --state DIR    keeps data in DIR;
                             others must not write to it
              -q, --quiet    no notes
              --daemon auto|off  another process

            Standard output has data only: it is
            for pipes.

            Exit status of a script:
                0  all is well
                1  a failure that
                   has no status
              129  hung up

            Environment: JAVA_HOME  the JDK
                         OTHER      another
                                    one
            USAGE
            }
            """;

    @Test
    void shouldReadUsesSectionsAndParagraphs() {
        LauncherHelp help = LauncherHelp.of(TEXT);

        assertThat(help.uses())
                .containsExactly(
                        new LauncherHelp.Entry("verbena", "a shell"),
                        new LauncherHelp.Entry("verbena serve DIR", "exports DIR, as a service does"),
                        new LauncherHelp.Entry("verbena -c 'COMMANDS' [ARG...]", ""),
                        new LauncherHelp.Entry("verbena --help | --version", ""));
        assertThat(help.words()).containsExactly("serve", "-c", "--help", "--version");
        assertThat(help.options())
                .containsExactly(
                        new LauncherHelp.ProgramOption(
                                List.of("--state"), "DIR", "keeps data in DIR; others must not write to it"),
                        new LauncherHelp.ProgramOption(List.of("-q", "--quiet"), "", "no notes"),
                        new LauncherHelp.ProgramOption(List.of("--daemon"), "auto|off", "another process"));
        assertThat(help.options().get(2).values()).containsExactly("auto", "off");
        assertThat(help.paragraphs()).containsExactly("Standard output has data only: it is for pipes.");
        assertThat(help.section("Exit status"))
                .extracting(LauncherHelp.Entry::key, LauncherHelp.Entry::text)
                .containsExactly(
                        org.assertj.core.groups.Tuple.tuple("0", "all is well"),
                        org.assertj.core.groups.Tuple.tuple("1", "a failure that has no status"),
                        org.assertj.core.groups.Tuple.tuple("129", "hung up"));
        assertThat(help.section("Environment"))
                .containsExactly(
                        new LauncherHelp.Entry("JAVA_HOME", "the JDK"), new LauncherHelp.Entry("OTHER", "another one"));
    }

    @Test
    void shouldRefuseALauncherWithoutHelp() {
        assertThatThrownBy(() -> LauncherHelp.of("#!/bin/sh\n")).hasMessageContaining("has no help");
        assertThatThrownBy(() -> LauncherHelp.of(TEXT).section("Colours")).hasMessageContaining("'Colours'");
    }

    /** Nothing that the help says is missing in the page. */
    @Test
    void shouldLoseNoWordOfTheLauncher() throws Exception {
        String launcher = Files.readString(LAUNCHER);
        String page = new ManPages(LauncherHelp.of(launcher), SampleCommand.docs(), "2026-01-31", "1.0")
                .all()
                .get("verbena.1");

        String help = launcher.substring(launcher.indexOf("Usage: "), launcher.indexOf("\nUSAGE\n"));
        for (String word : help.replaceAll("(Usage|Options before these|Exit status of a script|Environment):", "")
                .split("\\s+", -1)) {
            assertThat(page).contains(Roff.escaped(word).replaceFirst("^\\\\&", ""));
        }
    }
}
