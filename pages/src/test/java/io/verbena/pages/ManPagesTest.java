package io.verbena.pages;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The text of man pages. */
final class ManPagesTest {
    private static Map<String, String> pages() throws Exception {
        LauncherHelp help = LauncherHelp.of(Files.readString(LauncherHelpTest.LAUNCHER));
        return new ManPages(help, SampleCommand.docs(), "2026-01-31", "1.0").all();
    }

    @Test
    void shouldMakeAPageOfTheProgramAndOfEachCommand() throws Exception {
        assertThat(pages()).containsOnlyKeys("verbena.1", "verbena-nfs-other.1", "verbena-nfs-sample.1");
        assertThat(pages().get("verbena.1"))
                .contains(".TH \"VERBENA\" 1 \"2026-01-31\" \"Verbena 1.0\"")
                .contains(
                        ".SH \"NAME\"",
                        ".SH \"SYNOPSIS\"",
                        ".SH \"OPTIONS\"",
                        ".SH \"COMMANDS\"",
                        ".SH \"EXIT STATUS\"",
                        ".SH \"ENVIRONMENT\"",
                        ".SH \"FILES\"",
                        ".SH \"EXAMPLES\"")
                .contains(".TP\n\\fBnfs:sample\\fR\nShows \\(aqwhat\\(aq a \\(dqcommand\\(dq is.\n")
                .contains(".TP\n\\fB7\\fR\n");
    }

    @Test
    void shouldEscapeWhatRoffWouldReadAsRequests() throws Exception {
        assertThat(pages().get("verbena-nfs-sample.1"))
                .contains("verbena\\-nfs\\-sample \\- Shows")
                .contains("verbena \\-c \\(aqnfs:sample [OPTION...] [PATH...]\\(aq")
                .contains(".PP\n\\&.First a paragraph with a back\\eslash, a \\(ti and a caret \\(ha; see nfs:other.\n")
                .contains(".PP\n\\&\\(aqSecond.\n")
                .contains(".TP\n\\fB\\-\\-type\\fR \\fIf|d\\fR\nf: files, d\\(aqs [directories].\n")
                .contains(".TP\n\\fB\\-l, \\-\\-long\\fR\nLong.\n")
                .contains("nfs:sample \\(aq*.csv\\(aq docs:/")
                .contains("verbena(1), verbena\\-nfs\\-other(1)");
        assertThat(Roff.escaped("…")).isEqualTo("\\[u2026]");
    }

    @Test
    void shouldMakeTheSamePageOfCommandsAsBefore() {
        assertThat(CommandsPage.text(SampleCommand.docs()))
                .contains("| [nfs:other](#nfsother) | Does something else |")
                .contains("| `--type` *value* | f: files, d's [directories] |\n| `-l`, `--long` | Long |\n")
                .contains("| *PATH*, optional | Where to look |\n")
                .contains("| *NAME* | A name |\n");
    }
}
