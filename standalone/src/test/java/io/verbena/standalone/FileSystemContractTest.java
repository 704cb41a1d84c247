package io.verbena.standalone;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.nfs.nio.NfsFileSystems;
import java.io.IOException;
import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Checks that a program sees the same results and the same kinds of failure in a mounted directory and in a directory
 * of this host.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "its file systems have other rules")
class FileSystemContractTest {
    @TempDir
    private static Path local;

    @TempDir
    private static Path exported;

    @TempDir
    private static Path state;

    private Server server;
    private FileSystem remote;
    private int number;

    @BeforeAll
    void mount() throws IOException {
        server = new Server(exported, state);
        remote = FileSystems.newFileSystem(server.uri("/"), Map.of(NfsFileSystems.WATCH_MILLIS, 20));
    }

    @AfterAll
    void unmount() throws IOException {
        remote.close();
        server.close();
    }

    @ParameterizedTest
    @MethodSource({
        "io.verbena.standalone.PathCases#names",
        "io.verbena.standalone.FileCases#files",
        "io.verbena.standalone.ChannelCases#channels",
        "io.verbena.standalone.ChannelCases#locks",
        "io.verbena.standalone.DirectoryCases#directories",
        "io.verbena.standalone.DirectoryCases#links",
        "io.verbena.standalone.OpenDirectoryCases#directories",
        "io.verbena.standalone.DotCases#dots",
        "io.verbena.standalone.TransferCases#transfers",
        "io.verbena.standalone.AttributeCases#attributes",
        "io.verbena.standalone.AttributeCases#owners",
        "io.verbena.standalone.InterruptCases#files",
        "io.verbena.standalone.InterruptCases#channels",
        "io.verbena.standalone.MapCases#maps",
        "io.verbena.standalone.RefusalCases#refusals",
        "io.verbena.standalone.WatchCases#watches"
    })
    void shouldDoAsTheHostDoes(ContractCase example) throws Exception {
        String name = "case-" + ++number;
        Path here = Files.createDirectory(local.resolve(name));
        Path there = Files.createDirectory(remote.getPath("/" + name));

        Object expected = outcome(example, here);
        Object actual = outcome(example, there);

        if (expected instanceof Class<?> kind && actual instanceof Class<?> more) {
            assertThat(more).isAssignableTo(kind); // a subclass, which is more specific, is accepted
        } else {
            assertThat(actual).isEqualTo(expected);
        }
        assertThat(tree(there)).isEqualTo(tree(here));
    }

    private static Object outcome(ContractCase example, Path directory) {
        try {
            return shown(example.work().in(directory), directory);
        } catch (Exception e) {
            Throwable cause = e instanceof ExecutionException ? e.getCause() : e;
            return kind(cause);
        }
    }

    /** Returns the exception class of java.nio that an exception belongs to. */
    private static Class<?> kind(Throwable thrown) {
        Class<?> kind = thrown.getClass();
        while (!kind.getName().startsWith("java.")) {
            kind = kind.getSuperclass();
        }
        return kind;
    }

    private static String shown(Object result, Path directory) {
        return String.valueOf(result).replace(directory.toString(), "DIR");
    }

    private static Map<String, String> tree(Path directory) throws IOException {
        Map<String, String> tree = new TreeMap<>();
        try (Stream<Path> paths = Files.walk(directory)) {
            for (Path path : paths.toList()) {
                tree.put(directory.relativize(path).toString(), content(path, directory));
            }
        }
        return tree;
    }

    private static String content(Path path, Path directory) throws IOException {
        PosixFileAttributes is = Files.readAttributes(path, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        if (is.isSymbolicLink()) {
            return "-> " + shown(Files.readSymbolicLink(path), directory);
        }
        String mode = PosixFilePermissions.toString(is.permissions());
        return is.isDirectory() ? mode : mode + " " + Files.readString(path);
    }

    /**
     * The results differ in this case: the path of this host resolves {@code ..} from the link, and not from the link's
     * target.
     */
    @Test
    void shouldGoUpFromWhereALinkLeadsThatIsNotFollowed() throws IOException {
        Path directory = Files.createDirectory(remote.getPath("/up"));
        Files.createDirectories(directory.resolve("a/b"));
        Files.createSymbolicLink(directory.resolve("l"), remote.getPath("a/b"));

        Path real = directory.resolve("l/../../a").toRealPath(LinkOption.NOFOLLOW_LINKS);

        assertThat(Files.isSameFile(real, directory.resolve("a"))).isTrue();
    }

    @ParameterizedTest
    @MethodSource("odd")
    void shouldFindAPathByItsUri(String name) throws IOException {
        Path path = remote.getPath(name);
        URI uri = path.toUri();

        assertThat(Path.of(uri)).isEqualTo(path.toAbsolutePath());
        assertThat(URI.create(uri.toString())).isEqualTo(uri);
    }

    static Stream<String> odd() {
        return Stream.of(
                "/",
                "a",
                "/a b/c",
                "/größe/漢字",
                "/%41",
                "/a?b#c",
                "/a&b=c;d",
                "/a:b",
                "/😀",
                "/caf\udce9/\udcff",
                "/\\x");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"/caf%E9.txt", "/%80%FF/%C3%A9", "/a%20b%0A%7F", "/-._~!$&'()*+,;=:@", "/%E2%82", "/%F0%9F%98%80"
            })
    void shouldKeepEachOctetOfAUriAsTheHostDoes(String rawPath) {
        Path here = Path.of(URI.create("file://" + rawPath));
        Path there = Path.of(server.uri(rawPath));

        assertThat(there.toUri().getRawPath()).isEqualTo(here.toUri().getRawPath());
        assertThat(there.getFileSystem().getPath(there.toString())).isEqualTo(there);
    }

    /** Another client puts a symbolic link in the place of a directory that a program has opened. */
    @Test
    void shouldWorkInTheDirectoryThatWasOpened() throws IOException {
        Path top = Files.createDirectory(exported.resolve("opened"));
        Files.createDirectories(top.resolve("d/inner"));
        Files.writeString(top.resolve("d/inner/file"), "own");
        Files.createDirectories(top.resolve("others/inner"));
        Files.writeString(top.resolve("others/inner/file"), "of others");
        Path name = remote.getPath("file");
        try (SecureDirectoryStream<Path> open = open(remote.getPath("/opened/d"));
                SecureDirectoryStream<Path> inner = open.newDirectoryStream(remote.getPath("inner"))) {
            Files.move(top.resolve("d"), top.resolve("away"));
            Files.createSymbolicLink(top.resolve("d"), Path.of("others"));
            PosixFileAttributeView view = inner.getFileAttributeView(name, PosixFileAttributeView.class);
            Set<StandardOpenOption> create = Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
            List<ThrowingCallable> calls = List.of(
                    () -> inner.deleteFile(name),
                    () -> inner.newByteChannel(name, Set.of(StandardOpenOption.READ)),
                    () -> inner.newByteChannel(remote.getPath("new"), create),
                    () -> inner.move(name, inner, remote.getPath("moved")),
                    () -> inner.move(name, open, remote.getPath("moved")),
                    () -> open.newDirectoryStream(remote.getPath("inner")),
                    () -> open.deleteDirectory(remote.getPath("inner")),
                    () -> view.setPermissions(Set.of()),
                    view::readAttributes,
                    () -> inner.getFileAttributeView(PosixFileAttributeView.class)
                            .setPermissions(Set.of()));
            assertThat(calls).allSatisfy(call -> assertThatThrownBy(call).hasMessageContaining("is there by now"));
        }
        assertThat(top.resolve("others/inner")).isDirectoryContaining("glob:**/file");
        assertThat(top.resolve("others/inner/file")).hasContent("of others");
        assertThat(Files.getPosixFilePermissions(top.resolve("others/inner"))).isNotEmpty();
    }

    @SuppressWarnings("StreamResourceLeak") // the caller closes it
    private static SecureDirectoryStream<Path> open(Path directory) throws IOException {
        return (SecureDirectoryStream<Path>) Files.newDirectoryStream(directory);
    }
}
