package io.verbena.itests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A session at the prompt: keys are typed, and the screen is read. */
@Tag("newer-jdk")
@Timeout(300)
final class InteractiveIT {
    private static final int MEBIBYTES = 48;
    private static final String PROMPT = "verbena>";
    private static final Pattern BAR = Pattern.compile("[0-9]+%");
    private static final Pattern RESUMING = Pattern.compile("to go on: (nfs:put .*\\S)");

    @TempDir
    private Path folder;

    @Test
    void shouldServeAUserAtThePrompt() throws Exception {
        assumeTrue(Terminal.isAvailable(), "there is no tmux");
        Path served = Files.createDirectory(folder.resolve("served"));
        Path big = random(folder.resolve("big"));
        int port = Launcher.freePort();
        Map<String, String> environment =
                Map.of("TMPDIR", Files.createDirectory(folder.resolve("tmp")).toString(), "HOME", folder.toString());
        try (Terminal terminal =
                new Terminal(folder, environment, System.getProperty("verbena.launcher", "../verbena"))) {
            terminal.await(PROMPT);
            terminal.enter("nfs:export --no-root-squash --port " + port + " --name e " + served);
            terminal.await("exported");
            terminal.enter("nfs:mount -o port=" + port + " 127.0.0.1:/ work");
            terminal.await("mounted");

            // there is one mount, so TAB completes its name, and then the directory's only file
            Files.writeString(served.resolve("readme.txt"), "read me\n");
            terminal.type("nfs:cat wo");
            terminal.press("Tab");
            terminal.await("nfs:cat work:/");
            terminal.press("Tab");
            terminal.await("nfs:cat work:/readme.txt");
            terminal.press("Enter");
            terminal.await("read me");
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(folder.resolve(".verbena_history"))))
                    .isEqualTo("rw-------");

            Files.writeString(served.resolve("it's a $report"), "of money\n");
            terminal.type("nfs:cat work:/it");
            terminal.press("Tab");
            terminal.await("work:/it\\'s\\ a\\ \\$report");
            terminal.press("Enter");
            terminal.await("of money");

            terminal.enter("nfs:cta work:/readme.txt");
            terminal.await("did you mean 'nfs:cat'?");
            terminal.enter("nfs:ls --jsn work:/");
            terminal.await("nfs:ls has no option --jsn: did you mean '--json'?");

            terminal.enter("clear");
            terminal.enter("nfs:tail -s 0.1 -f work:/readme.txt");
            terminal.await("read me");
            Files.writeString(served.resolve("readme.txt"), "and this\n", StandardOpenOption.APPEND);
            terminal.await("and this");
            terminal.press("C-c");
            terminal.await("a prompt", InteractiveIT::endsWithPrompt);

            terminal.enter("clear");
            terminal.enter("nfs:put --resume --limit 8M " + big + " work:/");
            terminal.await("a progress bar", screen -> BAR.matcher(screen).find());
            terminal.press("C-c");
            terminal.await("interrupted");
            String interrupted = terminal.await("a prompt", InteractiveIT::endsWithPrompt);
            Matcher resuming = RESUMING.matcher(interrupted);
            assertThat(resuming.find()).as(interrupted).isTrue();
            assertThat(resuming.group(1)).contains("--resume", "--bwlimit 8M", big.toString());
            assertThat(served.resolve("big")).doesNotExist();
            assertThat(parts(served)).hasSize(1);

            terminal.enter("clear");
            terminal.enter(resuming.group(1).replace(" --limit 8M", ""));
            terminal.await("put 1 file");
            assertThat(Files.mismatch(big, served.resolve("big"))).isEqualTo(-1);
            assertThat(parts(served)).isEmpty();

            terminal.enter("nfs:unmount work");
            terminal.await("unmounted work");
            terminal.enter("logout");
            terminal.awaitEnd();
        }
    }

    private static boolean endsWithPrompt(String screen) {
        return screen.stripTrailing().endsWith(PROMPT);
    }

    /** The temporary files of incomplete copies. */
    private static List<Path> parts(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(file -> file.getFileName().toString().endsWith(".part"))
                    .toList();
        }
    }

    private static Path random(Path file) throws IOException {
        Random random = new Random(MEBIBYTES);
        byte[] block = new byte[1 << 20];
        try (RandomAccessFile out = new RandomAccessFile(file.toFile(), "rw")) {
            for (int i = 0; i < MEBIBYTES; i++) {
                random.nextBytes(block);
                out.write(block);
            }
        }
        return file;
    }
}
