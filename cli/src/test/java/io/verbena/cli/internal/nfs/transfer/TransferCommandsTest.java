package io.verbena.cli.internal.nfs.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.cli.ExitStatus;
import io.verbena.nfs.ServerUnavailableException;
import io.verbena.nfs.UnresponsiveServer;
import java.io.ByteArrayOutputStream;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Optional;
import javax.json.Json;
import javax.json.JsonObject;
import javax.json.JsonReader;
import org.apache.karaf.shell.support.CommandException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests the commands that copy, as a user types them. */
class TransferCommandsTest extends TransferCase {
    private static JsonObject json(String text) {
        try (JsonReader reader = Json.createReader(new StringReader(text))) {
            return reader.readObject();
        }
    }

    private String printedByFailing(String command) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        assertThatThrownBy(() -> shell.run(command, bytes)).isInstanceOf(CommandException.class);
        return bytes.toString(StandardCharsets.UTF_8);
    }

    private void refuse(String name) {
        mount.hook((operation, path, position) -> {
            if (operation.equals("open") && path.endsWith(name)) {
                throw new AccessDeniedException(path);
            }
        });
    }

    @Test
    void shouldTellInTheFailuresLineWhatIsLeft() throws Exception {
        write(local.resolve("file"), 3 << 20);
        mount.hook((operation, path, position) -> {
            if (operation.equals("write") && position >= 1 << 20) {
                mount.silent(new UnresponsiveServer("srv", Instant.now().minusSeconds(90), Optional.of(Instant.now())));
                throw new ServerUnavailableException("no answer", null);
            }
        });

        assertFails(ExitStatus.NO_CONNECTION, "nfs:put " + local + "/file a:/file")
                .hasMessageMatching(
                        "a:/file: no answer; left there: a:/\\.verbena-[0-9a-f]{16}\\.tmp\\.part: remove it when"
                                + " its server is back, or leave it to a copy into that directory an hour later");
        mount.silent(null);
        assertThat(shell.run("nfs:ls -a a:/")).contains(".tmp.part");
    }

    @Test
    void shouldTellTheSummaryAsJson() throws Exception {
        write(served.resolve("tree/x"), 10);
        write(served.resolve("tree/y \"z\""), 20);
        refuse("/x");

        String printed = printedByFailing("nfs:get -r --json a:/tree " + local);

        JsonObject summary = json(printed.lines().findFirst().orElseThrow());
        assertThat(summary.getInt("files")).isEqualTo(1);
        assertThat(summary.getInt("octets")).isEqualTo(20);
        assertThat(summary.getJsonNumber("seconds").doubleValue()).isBetween(0.0, 60.0);
        assertThat(summary.getJsonArray("skipped")).isEmpty();
        assertThat(summary.getInt("replacements")).isZero();
        JsonObject failed = summary.getJsonArray("failed").getJsonObject(0);
        assertThat(failed.getString("path")).isEqualTo("a:/tree/x");
        assertThat(failed.getString("reason")).isEqualTo("permission denied");
    }

    @Test
    void shouldListWhatFailedAtTheEnd() throws Exception {
        write(served.resolve("tree/x"), 10);
        write(served.resolve("tree/y"), 20);
        refuse("/x");
        String get = "nfs:get -r a:/tree " + local;

        assertFails(ExitStatus.PARTIAL, get).hasMessage("1 could not be got, see above; 1 are done");
        assertThat(printedByFailing("nfs:get -r a:/tree " + local + "/again"))
                .matches("(?s)got 1 file, 20 octets, .*; 1 failed\na:/tree/x: permission denied\n");
        assertFails(ExitStatus.PERMISSION, "nfs:get -q a:/tree/x " + local + "/x")
                .hasMessage("a:/tree/x: permission denied");
    }

    @Test
    void shouldRehearse() throws Exception {
        write(local.resolve("x"), 10);

        assertThat(shell.run("nfs:put -n " + local + "/x a:/y"))
                .isEqualTo("copy " + local + "/x to a:/y\nwould have put 1 file, 10 octets\n");
        assertThat(shell.run("nfs:put -n --json " + local + "/x a:/y"))
                .contains("\"files\":1,\"octets\":10,")
                .endsWith(",\"would\":[\"copy " + local + "/x to a:/y\"]}\n");
        assertThat(served).isEmptyDirectory();
    }

    @Test
    void shouldCopyTheSourcesThatAreThere() throws Exception {
        write(local.resolve("x"), 10);
        write(local.resolve("y"), 20);
        Files.createDirectory(served.resolve("d"));
        String put = "nfs:put " + local + "/x " + local + "/missing " + local + "/y a:/d";

        assertThat(printedByFailing(put))
                .matches(
                        "(?s)put 2 files, 30 octets, .*; 1 failed\n" + local + "/missing: no such file or directory\n");
        assertThat(names(served.resolve("d"))).containsExactly("x", "y");
        assertFails(ExitStatus.PARTIAL, put.replace("put ", "put -f "))
                .hasMessage("1 could not be put, see above; 2 are done");
        assertFails(ExitStatus.PARTIAL, "nfs:put -f " + local + "/x " + local + "/missing a:/d")
                .hasMessage("1 could not be put, see above; 1 are done");
    }

    @Test
    void shouldSayThatADirectoryIsMissing() throws Exception {
        write(local.resolve("x"), 10);
        write(local.resolve("y"), 20);
        String missing = "a:/new: no such file or directory";

        assertFails(ExitStatus.NOT_FOUND, "nfs:put " + local + "/x a:/new/").hasMessage(missing);
        assertFails(ExitStatus.NOT_FOUND, "nfs:put " + local + "/x " + local + "/y a:/new/")
                .hasMessage(missing);
        write(served.resolve("z"), 1);
        assertFails(ExitStatus.FAILED, "nfs:put " + local + "/x " + local + "/y " + "a:/z")
                .hasMessage("a:/z: is no directory, which several sources need");
    }

    @Test
    void shouldCopyThroughPipes() throws Exception {
        write(served.resolve("x"), 3_000_000);

        assertThat(shell.run("nfs:get a:/x - | nfs:put - a:/y")).startsWith("put 1 file, 3000000 octets");
        assertThat(shell.run("echo abc | nfs:put -q - a:/z")).isEmpty();

        assertThat(Files.mismatch(served.resolve("x"), served.resolve("y"))).isEqualTo(-1);
        assertThat(served.resolve("z")).hasContent("abc\n");
        assertThat(names(served)).containsExactly("x", "y", "z");
        assertFails(ExitStatus.FAILED, "echo abc | nfs:put - a:/").hasMessageContaining("needs a name");
        assertFails(ExitStatus.USAGE, "nfs:put - /x a:/z").hasMessageContaining("takes - alone");
        assertFails(ExitStatus.USAGE, "nfs:put --resume - a:/z").hasMessageContaining("cannot do --resume");
        assertFails(ExitStatus.USAGE, "nfs:get --verify a:/x -").hasMessageContaining("cannot do --verify");
    }

    @Test
    void shouldCopyBetweenMountsAndWithinOne() throws Exception {
        host.mount("b");
        write(served.resolve("x"), 10);

        assertThat(shell.run("nfs:cp a:/x a:/y; nfs:cp --verify a:/x b:/z")).contains("copied 1 file, 10 octets");
        assertThat(names(served)).containsExactly("x", "y", "z");
        assertFails(ExitStatus.FAILED, "nfs:cp a:/x b:/x").hasMessage("a:/x and b:/x are the same file");
        write(served.resolve("d/x"), 10);
        assertFails(ExitStatus.FAILED, "nfs:cp -r a:/d b:/d/sub")
                .hasMessage("a:/d: cannot be copied into itself, as b:/d/sub");
        assertFails(ExitStatus.FAILED, "nfs:cp -r a:/d a:/d").hasMessageContaining("into itself");
        assertThat(names(served.resolve("d"))).containsExactly("x");
        assertFails(ExitStatus.USAGE, "nfs:cp a:/x").hasMessageContaining("nfs:cp wants");
        assertFails(ExitStatus.USAGE, "nfs:cp a:/x /tmp/y").hasMessageContaining("is no remote path");
    }

    @Test
    void shouldSynchronise() throws Exception {
        write(local.resolve("tree/x"), 10);
        write(served.resolve("copy/old"), 10);

        assertThat(shell.run("nfs:sync --delete " + local + "/tree a:/copy"))
                .matches("synchronised 1 file, 10 octets, .*; removed 1\n");
        assertThat(names(served.resolve("copy"))).containsExactly("x");
        assertFails(ExitStatus.USAGE, "nfs:sync /tmp /var").hasMessageContaining("is on a mount");
        assertFails(ExitStatus.NOT_FOUND, "nfs:sync a:/none /var").hasMessage("a:/none: no such file or directory");
    }

    @Test
    void shouldFilterByName() throws Exception {
        for (String name : new String[] {"a.txt", "b.txt", "c.bin"}) {
            write(local.resolve("tree").resolve(name), 10);
        }
        shell.run("nfs:put -q -r --include '*.txt' --include '*.doc' --exclude 'b*' " + local + "/tree a:/");
        assertThat(names(served.resolve("tree"))).containsExactly("a.txt");
    }

    @Test
    void shouldKeepAllBitsAndTimesWhereAskedTo() throws Exception {
        write(local.resolve("x"), 10);
        Files.setAttribute(local.resolve("x"), "unix:mode", 0_1640);
        FileTime accessed = FileTime.from(Instant.parse("2001-02-03T04:05:06Z"));
        Files.setAttribute(local.resolve("x"), "lastAccessTime", accessed);

        shell.run("nfs:put -q -p " + local + "/x a:/; nfs:get -q -p a:/x " + local + "/back");

        assertThat((int) Files.getAttribute(served.resolve("x"), "unix:mode") & 0_7777)
                .isEqualTo(0_1640);
        assertThat((int) Files.getAttribute(local.resolve("back"), "unix:mode") & 0_7777)
                .isEqualTo(0_1640);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--jobs 0|--jobs 0: it is a number from 1 to 64",
                "--jobs x|--jobs x: it is a number from 1 to 64",
                "--limit 0|--bwlimit 0: 0 is no rate: it is a number of octets a second, as 500k, 10M or 1G",
                "--bwlimit 18446744074G|18446744074G is no rate: it is a number of octets a second",
                "--bwlimit 10X|--bwlimit 10X: 10X is no rate: it is a number of octets a second",
                "--bwlimit '08:00,1M 9,2M'|9,2M is no time and rate, as 08:00,512k or Sat-10:00,off",
                "--bwlimit @/none/rate|the file with the rate cannot be read: no such file or directory",
                "--retries 101|--retries 101: it is a number from 0 to 100",
                "--from0|--from0 is about the names of --files-from, which is missing",
                "--min-size 2K --max-size 1K|--min-size 2K is above --max-size 1K: no file is both",
                "--max-size x|--max-size x: it is a number of octets",
                "--min-age 2d --max-age 1d|--min-age 2d is longer ago than --max-age 1d: no file is both",
                "--backup-dir /tmp|/tmp is not on the mount of a:/",
                "-n --log-file /tmp/l|--dry-run copies nothing that --log-file could tell",
                "--include '[a'|is no pattern: it has a"
            })
    void shouldRefuseOptionsThatMakeNoSense(String option, String message) {
        assertFails(ExitStatus.USAGE, "nfs:put " + option + " /etc/hostname a:/")
                .hasMessageContaining(message);
    }

    @Test
    void shouldCheckWithoutCopying() throws Exception {
        write(local.resolve("tree/same"), 10);
        write(local.resolve("tree/differs"), 10);
        write(local.resolve("tree/dir/new"), 10);
        write(served.resolve("copy/same"), 10);
        write(served.resolve("copy/differs"), 11);
        write(served.resolve("copy/old"), 10);
        String check = local + "/tree a:/copy";

        assertFails(ExitStatus.CHECKSUM, "nfs:check " + check)
                .hasMessage("2 missing, 1 different, 1 surplus, 1 the same");
        assertThat(printedByFailing("nfs:check " + check).lines())
                .contains("missing a:/copy/dir/", "missing a:/copy/dir/new", "differs a:/copy/differs")
                .contains("surplus a:/copy/old");
        assertThat(printedByFailing("nfs:check --one-way " + check)).doesNotContain("surplus");
        JsonObject result = json(printedByFailing("nfs:check --json " + check)
                .lines()
                .findFirst()
                .orElseThrow());
        assertThat(result.getInt("same")).isEqualTo(1);
        assertThat(result.getJsonArray("differs").getString(0)).isEqualTo("a:/copy/differs");
        assertThat(names(served.resolve("copy"))).containsExactly("differs", "old", "same");

        Files.writeString(served.resolve("copy/same"), "0123456789");
        Files.setLastModifiedTime(served.resolve("copy/same"), FileTime.from(MODIFIED));
        assertFails(ExitStatus.CHECKSUM, "nfs:check -q --checksum --include same " + check)
                .hasMessageStartingWith("1 different");
        assertThat(shell.run("nfs:check -q --include same " + check)).isEmpty();
        assertThat(shell.run("nfs:check --include same " + check)).isEqualTo("1 file the same\n");
        assertThat(shell.run("VERBENA_QUIET = true; nfs:check --include same " + check))
                .doesNotContain("the same");
        assertFails(ExitStatus.USAGE, "nfs:check /tmp /var").hasMessageContaining("is on a mount");
    }

    @Test
    void shouldCopyWhatAListNames() throws Exception {
        for (String name : new String[] {"a b", "c", "d/e", "f"}) {
            write(local.resolve("tree").resolve(name), 10);
        }
        Path list = Files.writeString(local.resolve("list"), "a b\n# c\nd\n");
        Path terminated = Files.writeString(local.resolve("list0"), "f\0");
        Files.createDirectory(served.resolve("copy"));

        shell.run("nfs:put -q -r --files-from " + list + " " + local + "/tree/. a:/copy; nfs:put -q -r --files-from "
                + terminated + " --from0 " + local + "/tree/. a:/copy");

        assertThat(names(served.resolve("copy"))).containsExactly("a b", "d", "f");
        Files.writeString(served.resolve("list"), "c\n");
        shell.run("nfs:cat a:/list | nfs:put -q -r --files-from - " + local + "/tree/. a:/copy");
        assertThat(names(served.resolve("copy"))).containsExactly("a b", "c", "d", "f");
        assertFails(ExitStatus.NOT_FOUND, "nfs:put --files-from /none/list /etc a:/")
                .hasMessage("--files-from /none/list: no such file or directory");
        assertFails(ExitStatus.USAGE, "nfs:put -r --files-from " + terminated + " " + local + "/tree/. a:/copy")
                .hasMessageContaining("are the names separated by it?");
    }

    @Test
    void shouldLimitAndKeepWhatASynchronisationRemoves() throws Exception {
        write(local.resolve("tree/x"), 10);
        write(served.resolve("copy/x"), 11);
        write(served.resolve("copy/old"), 10);
        String sync = "nfs:sync -q --delete --max-delete ";
        String what = " " + local + "/tree a:/copy";

        assertFails(ExitStatus.FAILED, sync + 0 + what)
                .hasMessage("a:/copy: 1 file or directory would be removed, and the limit is 0: nothing was changed");
        assertThat(served.resolve("copy/x")).hasSize(11);
        Path log = local.resolve("log");
        shell.run(sync + 1 + " --backup-dir a:/kept --log-file " + log + what);

        assertThat(Files.readAllLines(log))
                .map(line -> line.replaceFirst("\\S+ ", ""))
                .startsWith("nfs:sync --backup-dir a:/kept --log-file " + log + " -q --delete --max-delete 1" + what)
                .containsOnlyOnce(
                        "keep a:/copy/x as a:/kept/x",
                        "copy " + local + "/tree/x to a:/copy/x",
                        "keep a:/copy/old as a:/kept/old",
                        "remove a:/copy/old");
        assertThat(names(served.resolve("copy"))).containsExactly("x");
        assertThat(names(served.resolve("kept"))).containsExactly("old", "x");
        assertFails(ExitStatus.USAGE, "nfs:sync --max-delete 1" + what)
                .hasMessage("--max-delete limits what --delete removes: without --delete nothing is removed");
        assertFails(ExitStatus.USAGE, "nfs:sync --delete --max-delete x" + what)
                .hasMessage("--max-delete x: it is a whole number");
    }

    /** What is no data goes to the standard error. */
    @Test
    void shouldPrintFiguresAndProgressBesideTheOutput() throws Exception {
        write(served.resolve("x"), 10);

        String printed = shell.run("nfs:get --stats --progress --json a:/x " + local + "/y | nfs:put -q - a:/summary");

        assertThat(printed).contains("octets moved:      10\n").doesNotContain("{");
        assertThat(Files.readString(served.resolve("summary")))
                .startsWith("{\"files\":1,")
                .hasLineCount(1);
    }
}
