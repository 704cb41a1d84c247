package io.verbena.cli.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nfs.MountState;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.karaf.shell.api.console.Candidate;
import org.apache.karaf.shell.api.console.Command;
import org.apache.karaf.shell.api.console.Session;
import org.apache.karaf.shell.support.parsing.CommandLineImpl;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CompletionTest {
    @TempDir
    Path served;

    private TestHost host;
    private Shell shell;
    private DirectoryMount mount;

    @BeforeEach
    void start() throws Exception {
        host = new TestHost(served);
        RdmaServices services = new RdmaServices();
        services.addProvider(new FakeProvider("other"));
        shell = new Shell(host.mounts(), host.exports(), services);
        mount = host.mount("docs");
        Files.createDirectories(served.resolve("dir/below"));
        Files.writeString(served.resolve("file"), "");
    }

    @AfterEach
    void stop() {
        shell.close();
        host.close();
    }

    private List<String> complete(String... words) {
        List<Candidate> candidates = new ArrayList<>();
        String last = words[words.length - 1];
        String line = String.join(" ", words);
        try (Session session = shell.factory()
                .create(
                        InputStream.nullInputStream(),
                        new PrintStream(OutputStream.nullOutputStream()),
                        new PrintStream(OutputStream.nullOutputStream()))) {
            int colon = words[0].indexOf(':');
            Command command = shell.factory().getCommand(words[0].substring(0, colon), words[0].substring(colon + 1));
            command.getCompleter(false)
                    .completeCandidates(
                            session,
                            new CommandLineImpl(words, words.length - 1, last.length(), line.length(), line),
                            candidates);
        }
        return candidates.stream().map(Candidate::value).toList();
    }

    @Test
    void shouldCompleteMountsThenTheirPaths() {
        assertThat(complete("nfs:ls", "do")).contains("docs:/");
        assertThat(complete("nfs:ls", "docs:/")).containsExactlyInAnyOrder("docs:/dir/", "docs:/file");
        assertThat(complete("nfs:ls", "docs:/di")).contains("docs:/dir/");
        assertThat(complete("nfs:ls", "docs:/dir/")).containsExactly("docs:/dir/below/");
        assertThat(complete("nfs:ls", "docs:/none/")).isEmpty();
    }

    @Test
    void shouldNotMakeCommandsOfNamesThatAServerLists() throws Exception {
        for (String name : List.of("a;b|c", "a b", "$x", "`x`", "a\nb", "it's", "a\"b", "{x}", "a\\b", "*")) {
            Files.writeString(served.resolve("dir").resolve(name), "");
        }
        Files.writeString(served.resolve("dir/größe-1.txt"), "");

        assertThat(complete("nfs:ls", "docs:/dir/"))
                .containsExactlyInAnyOrder("docs:/dir/below/", "docs:/dir/größe-1.txt");
    }

    @Test
    void shouldCompleteRemoteAndLocalPathsWhereEitherMayStand() {
        String local = served + "/";

        assertThat(complete("nfs:put", local)).contains(local + "dir/", local + "file");
        assertThat(complete("nfs:put", local + "file", "docs:/")).contains("docs:/dir/");
        assertThat(complete("nfs:get", "docs:/")).contains("docs:/file");
        assertThat(complete("nfs:export", local)).contains(local + "dir/");
    }

    @Test
    void shouldCompleteNamesAndOptions() {
        assertThat(complete("nfs:unmount", "")).containsExactly("docs");
        assertThat(complete("nfs:mount", "-o", "soft,p")).contains("soft,port=", "soft,hard", "soft,proto=");
    }

    @Test
    void shouldCompleteValuesOfOptions() {
        assertThat(complete("nfs:mount", "-o", "soft,provider=n"))
                .containsExactly(
                        "soft,provider=auto", "soft,provider=native", "soft,provider=iwarp", "soft,provider=other");
        assertThat(complete("nfs:mount", "-o", "rpcrdma=")).containsExactly("rpcrdma=auto", "rpcrdma=1", "rpcrdma=2");
        assertThat(complete("nfs:mount", "-o", "port=")).isEmpty();
        assertThat(complete("nfs:export", "--provider", "")).containsExactly("auto", "native", "iwarp", "other");
        assertThat(complete("rdma:selftest", "--provider", "")).containsExactly("auto", "native", "iwarp", "other");
        assertThat(complete("rdma:selftest", "r")).contains("rxe0", "siw0");
    }

    @Test
    void shouldNotWaitForAMountThatCannotBeReached() {
        mount.state(MountState.RECOVERING);
        mount.hook((operation, path, position) -> {
            throw new AssertionError("asked the server");
        });

        assertThat(complete("nfs:ls", "docs:/")).isEmpty();
    }
}
