package io.verbena.itests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The man pages and the completions of the distribution, given to the programs that read them. */
final class HelpFilesIT {
    private static final Path SHARE =
            Path.of("../karaf-distro/target/assembly/share").toAbsolutePath().normalize();
    private static final Path BASH = SHARE.resolve("bash-completion/completions/verbena");
    private static final Path ZSH = SHARE.resolve("zsh/site-functions/_verbena");
    private static final Path FISH = SHARE.resolve("fish/vendor_completions.d/verbena.fish");
    private static final long SECONDS = 120;

    /** Calls the function of the completion as bash does, for the words after the first argument. */
    private static final String BASH_DRIVER =
            """
            . "$1"
            shift
            COMP_WORDS=(verbena "$@")
            COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
            COMP_LINE="${COMP_WORDS[*]}"
            COMP_POINT=${#COMP_LINE}
            COMP_WORDBREAKS=$' \\t\\n"\\'><=;|&(:'
            current=${COMP_WORDS[COMP_CWORD]#[\\'\\"]}
            _verbena verbena "$current" "${COMP_WORDS[COMP_CWORD-1]}"
            printf '%s\\n' "${COMPREPLY[@]}"
            """;

    @TempDir
    private Path folder;

    private record Output(int status, String text) {}

    private Output run(String... command) throws IOException, InterruptedException {
        Path output = Files.createTempFile(folder, "output", ".txt");
        Process process = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        process.getOutputStream().close();
        if (!process.waitFor(SECONDS, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new AssertionError("no end of " + List.of(command));
        }
        return new Output(process.exitValue(), Files.readString(output, StandardCharsets.UTF_8));
    }

    private static void require(String program) {
        boolean isThere = Arrays.stream(System.getenv("PATH").split(":", -1))
                .anyMatch(directory -> Files.isExecutable(Path.of(directory, program)));
        assumeTrue(isThere, "there is no " + program);
    }

    private static List<Path> pages() throws IOException {
        try (Stream<Path> files = Files.list(SHARE.resolve("man/man1"))) {
            return files.sorted().toList();
        }
    }

    private List<String> bash(String... words) throws IOException, InterruptedException {
        List<String> command =
                new ArrayList<>(List.of("bash", "--norc", "--noprofile", "-c", BASH_DRIVER, "bash", BASH.toString()));
        command.addAll(List.of(words));
        Output output = run(command.toArray(String[]::new));
        assertThat(output.status()).as(output.text()).isZero();
        return output.text().lines().filter(line -> !line.isEmpty()).toList();
    }

    @Test
    void shouldHaveAPageOfTheProgramAndOfEachCommand() throws Exception {
        List<String> expected = new ArrayList<>(List.of("verbena.1"));
        try (Stream<String> lines = Files.lines(Path.of("../docs/commands.md"))) {
            lines.filter(line -> line.startsWith("## "))
                    .map(line -> "verbena-" + line.substring(3).replace(':', '-') + ".1")
                    .forEach(expected::add);
        }

        assertThat(pages()).extracting(page -> page.getFileName().toString()).hasSameElementsAs(expected);
        assertThat(SHARE.resolve("man/man1/verbena.1"))
                .content()
                .contains("VERBENA_OPTS", "nfs:mount", "rdma:doctor", "interrupted (Ctrl\\-C)", "\\-\\-keep\\-going");
    }

    @Test
    void shouldHavePagesThatGroffReadsWithoutAWarning() throws Exception {
        require("groff");
        for (Path page : pages()) {
            Output output = run("groff", "-ww", "-z", "-man", "-Tutf8", page.toString());
            assertThat(output.text()).as(page.toString()).isEmpty();
            assertThat(output.status()).isZero();
        }
        Output shown = run(
                "groff",
                "-man",
                "-Tascii",
                "-P-c",
                SHARE.resolve("man/man1/verbena-nfs-mount.1").toString());
        assertThat(shown.text()).contains("verbena -c 'nfs:mount [OPTION...] [SOURCE] [NAME]'", "VERBENA-NFS-MOUNT");
    }

    @Test
    void shouldHavePagesThatMandocReadsWithoutAWarning() throws Exception {
        require("mandoc");
        for (Path page : pages()) {
            Output output = run("mandoc", "-Tlint", "-Wwarning", page.toString());
            assertThat(output.text()).as(page.toString()).isEmpty();
        }
    }

    @Test
    void shouldCompleteWordsAndOptionsOfTheProgramInBash() throws Exception {
        require("bash");
        Files.createDirectory(folder.resolve("directory"));
        Files.createFile(folder.resolve("script"));

        assertThat(run("bash", "-n", BASH.toString()).text()).isEmpty();
        assertThat(bash("")).contains("demo", "serve", "doctor", "-c", "--help", "--state", "--quiet");
        assertThat(bash("de")).containsExactly("demo");
        assertThat(bash("scr")).containsExactly("script");
        assertThat(bash("--state", "")).containsExactly("directory");
        assertThat(bash("--state", "directory", "-q", "ser")).containsExactly("serve");
        assertThat(bash("serve", "--no-root")).containsExactly("--no-root-squash");
        assertThat(bash("serve", "dir")).containsExactly("directory");
        assertThat(bash("doctor", "--")).containsExactlyInAnyOrder("--json", "--help");
        assertThat(bash("--daemon", "")).containsExactlyInAnyOrder("auto", "use", "off");
        assertThat(bash("daemon", "")).containsExactlyInAnyOrder("status", "stop");
        assertThat(bash("daemon", "stop", "")).isEmpty();
    }

    @Test
    void shouldCompleteCommandsAndTheirOptionsInBash() throws Exception {
        require("bash");
        Files.createFile(folder.resolve("a file"));

        assertThat(bash("-c", "'nfs:mou")).containsExactly("nfs:mount", "nfs:mount-service", "nfs:mounts");
        assertThat(bash("-c", "'nfs:mount -o port=1 a:/ m; nfs:ls --js"))
                .containsExactly("nfs:mount -o port=1 a:/ m; nfs:ls --json");
        assertThat(bash("-c", "\"nfs:find --type "))
                .containsExactly("nfs:find --type f", "nfs:find --type d", "nfs:find --type l");
        assertThat(bash("-c", "'nfs:put a")).containsExactly("nfs:put a file");
        // readline has divided the word at its colon, and replaces what follows the colon
        assertThat(bash("-c", "nfs", ":", "moun")).containsExactly("mount", "mount-service", "mounts");
        assertThat(bash("-c", "'nfs:version'", "a")).containsExactly("a file");
    }

    @Test
    void shouldCompleteInZsh() throws Exception {
        require("zsh");
        Output output = run("zsh", "-f", "-n", ZSH.toString());
        assertThat(output.text()).isEmpty();
        assertThat(output.status()).isZero();
    }

    @Test
    void shouldCompleteInFish() throws Exception {
        require("fish");
        Output syntax = run("fish", "--no-config", "--no-execute", FISH.toString());
        assertThat(syntax.text()).isEmpty();

        String source = "source " + FISH + "; complete --do-complete ";
        assertThat(run("fish", "--no-config", "-c", source + "'verbena de'").text())
                .startsWith("demo\t");
        assertThat(run("fish", "--no-config", "-c", source + "'verbena daemon '")
                        .text())
                .startsWith("status\nstop\n");
        assertThat(run("fish", "--no-config", "-c", source + "\"verbena -c 'nfs:moun\"")
                        .text())
                .contains("nfs:mount\t", "nfs:mounts\t");
        assertThat(run("fish", "--no-config", "-c", source + "\"verbena -c 'nfs:ls docs:/; nfs:ls --js\"")
                        .text())
                .contains("nfs:ls docs:/; nfs:ls --json\t");
    }
}
