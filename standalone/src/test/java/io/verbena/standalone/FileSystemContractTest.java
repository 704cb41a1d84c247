package io.verbena.standalone;

import static java.nio.file.StandardCopyOption.ATOMIC_MOVE;
import static java.nio.file.StandardCopyOption.COPY_ATTRIBUTES;
import static java.nio.file.StandardCopyOption.REPLACE_EXISTING;
import static java.nio.file.StandardOpenOption.APPEND;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.DELETE_ON_CLOSE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.TRUNCATE_EXISTING;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What a program sees of a mounted directory is what it sees of one on this host: results, and failures by their kind. */
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
        remote = FileSystems.newFileSystem(server.uri("/"), Map.of());
    }

    @AfterAll
    void unmount() throws IOException {
        remote.close();
        server.close();
    }

    /** Something done in an empty directory, and what came of it. */
    private interface Work {
        Object in(Path directory) throws Exception;
    }

    private record Case(String name, Work work) {
        @Override
        public String toString() {
            return name;
        }
    }

    @ParameterizedTest
    @MethodSource({"names", "files", "channels", "directories", "copies", "moves", "links", "attributes", "locks"})
    void shouldDoAsTheHostDoes(Case example) throws Exception {
        String name = "case-" + ++number;
        Path here = Files.createDirectory(local.resolve(name));
        Path there = Files.createDirectory(remote.getPath("/" + name));

        Object expected = outcome(example, here);
        Object actual = outcome(example, there);

        if (expected instanceof Class<?> kind && actual instanceof Class<?> more) {
            assertThat(more).isAssignableTo(kind); // it may say more exactly what is wrong
        } else {
            assertThat(actual).isEqualTo(expected);
        }
        assertThat(tree(there)).isEqualTo(tree(here));
    }

    private static Object outcome(Case example, Path directory) {
        try {
            return shown(example.work().in(directory), directory);
        } catch (Exception e) {
            Throwable cause = e instanceof ExecutionException ? e.getCause() : e;
            return kind(cause);
        }
    }

    /** Of exceptions that java.nio knows, whichever class of ours it is. */
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

    private static Case of(String name, Work work) {
        return new Case(name, work);
    }

    static Stream<Case> names() {
        List<String> texts = List.of(
                "", "/", "a", "a/b", "/a", "/a/b/", "a//b", "..", "../a", "a/..", "/..", "/a/../b", "./a", "a/./b",
                "a/b/c", ".");
        return Stream.concat(
                texts.stream().map(one -> of("path '" + one + "'", d -> about(path(d, one)))),
                texts.stream()
                        .map(one -> of("'" + one + "' and others", d -> texts.stream()
                                .map(two -> two + ": " + together(path(d, one), path(d, two)))
                                .collect(Collectors.joining("\n")))));
    }

    private static String about(Path path) {
        List<String> names = new ArrayList<>();
        path.forEach(name -> names.add(name.toString()));
        return path + " " + path.isAbsolute() + " " + path.getNameCount() + " " + path.getFileName() + " "
                + path.getParent() + " " + path.getRoot() + " " + path.normalize() + " " + names;
    }

    private static String together(Path one, Path two) {
        String relative;
        try {
            relative = one.relativize(two).toString();
        } catch (IllegalArgumentException e) {
            relative = "none";
        }
        return one.resolve(two) + " " + one.resolveSibling(two) + " " + relative + " " + one.startsWith(two) + " "
                + one.endsWith(two) + " " + one.equals(two) + " " + Integer.signum(one.compareTo(two));
    }

    private static FileAttribute<?> permissions(String text) {
        return PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(text));
    }

    private static Path path(Path directory, String text) {
        return directory.getFileSystem().getPath(text);
    }

    static Stream<Case> files() {
        return Stream.of(
                of("NUL in a name", d -> d.resolve("a\0b")),
                of("subpath beyond", d -> path(d, "a/b").subpath(1, 3)),
                of("write and read", d -> Files.readString(Files.writeString(d.resolve("f"), "text"))),
                of("write lines over longer", d -> {
                    Files.writeString(d.resolve("f"), "something long");
                    return Files.readAllLines(Files.write(d.resolve("f"), List.of("a", "b")));
                }),
                of("names in UTF-8", d -> Files.readString(Files.writeString(d.resolve("größe 漢字 😀 %20?#"), "x"))),
                of("read what is not there", d -> Files.readString(d.resolve("none"))),
                of("read in what is not there", d -> Files.readString(d.resolve("none/f"))),
                of(
                        "read in a file",
                        d -> Files.readString(Files.createFile(d.resolve("f")).resolve("g"))),
                of("read a directory", d -> Files.readAllBytes(Files.createDirectory(d.resolve("e")))),
                of("write a directory", d -> Files.writeString(Files.createDirectory(d.resolve("e")), "x")),
                of("create twice", d -> Files.createFile(Files.createFile(d.resolve("f")))),
                of("write without create", d -> Files.writeString(d.resolve("f"), "x", WRITE)),
                of("append", d -> {
                    Files.writeString(d.resolve("f"), "one");
                    Files.writeString(d.resolve("f"), "two", APPEND);
                    return Files.size(d.resolve("f"));
                }),
                of("append to nothing", d -> Files.writeString(d.resolve("f"), "x", APPEND)),
                of(
                        "exists",
                        d -> List.of(Files.exists(d), Files.exists(d.resolve("f")), Files.notExists(d.resolve("f")))),
                of("what it is", d -> List.of(Files.isDirectory(d), Files.isRegularFile(d), Files.isSymbolicLink(d))),
                of("hidden", d -> List.of(Files.isHidden(d.resolve(".f")), Files.isHidden(d.resolve("f")))),
                of("access", d -> {
                    Path file = Files.createFile(d.resolve("f"));
                    return List.of(Files.isReadable(file), Files.isWritable(file), Files.isReadable(d.resolve("g")));
                }),
                of("delete", d -> {
                    Files.delete(Files.createFile(d.resolve("f")));
                    return Files.deleteIfExists(d.resolve("f"));
                }),
                of("delete what is not there", d -> {
                    Files.delete(d.resolve("f"));
                    return "done";
                }),
                // where a program does not say with which permissions, those differ
                of(
                        "temporary file",
                        d -> Files.move(Files.createTempFile(d, "a", ".b", permissions("rw-------")), d.resolve("f"))),
                of(
                        "temporary directory",
                        d -> Files.move(Files.createTempDirectory(d, "a", permissions("rwx------")), d.resolve("e"))),
                of(
                        "permissions at once",
                        d -> Files.createFile(
                                d.resolve("f"),
                                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))),
                of("same file", d -> {
                    Path file = Files.createFile(d.resolve("f"));
                    Path link = Files.createSymbolicLink(d.resolve("l"), file.getFileName());
                    return List.of(Files.isSameFile(file, link), Files.isSameFile(file, d));
                }),
                of("same as nothing", d -> Files.isSameFile(d, d.resolve("none"))),
                of(
                        "mismatch",
                        d -> Files.mismatch(
                                Files.writeString(d.resolve("f"), "abc"), Files.writeString(d.resolve("g"), "abd"))));
    }

    private static SeekableByteChannel open(Path path, OpenOption... options) throws IOException {
        return Files.newByteChannel(path, options);
    }

    private static ByteBuffer bytes(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
    }

    private static String read(SeekableByteChannel channel, int size) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(size);
        int read = channel.read(buffer);
        return read + ":" + new String(buffer.array(), 0, buffer.position(), StandardCharsets.UTF_8);
    }

    private static Case channel(String name, Set<OpenOption> options, Work2 work) {
        return of(name, d -> {
            Files.writeString(d.resolve("f"), "0123456789");
            try (FileChannel channel = FileChannel.open(d.resolve("f"), options)) {
                return work.on(channel);
            }
        });
    }

    private interface Work2 {
        Object on(FileChannel channel) throws Exception;
    }

    static Stream<Case> channels() {
        return Stream.of(
                channel("read", Set.of(READ), c -> read(c, 4) + read(c.position(8), 4) + read(c, 4)),
                channel("read beyond", Set.of(READ), c -> read(c.position(100), 4)),
                channel("read nothing", Set.of(READ), c -> c.read(ByteBuffer.allocate(0), 0)),
                channel("read at", Set.of(READ), c -> {
                    ByteBuffer buffer = ByteBuffer.allocate(3);
                    return c.read(buffer, 5) + "," + c.position() + "," + c.read(ByteBuffer.allocate(3), 10);
                }),
                channel("read at a negative position", Set.of(READ), c -> c.read(ByteBuffer.allocate(1), -1)),
                channel("read what is open to write", Set.of(WRITE), c -> c.read(ByteBuffer.allocate(1))),
                channel("write what is open to read", Set.of(READ), c -> c.write(bytes("x"))),
                channel("truncate what is open to read", Set.of(READ), c -> c.truncate(1)),
                channel("write in the middle", Set.of(READ, WRITE), c -> {
                    int written = c.position(3).write(bytes("abc"));
                    return written + "," + c.position() + "," + c.size() + read(c, 2);
                }),
                channel(
                        "write at",
                        Set.of(WRITE),
                        c -> c.write(bytes("abc"), 20) + "," + c.position() + "," + c.size()),
                channel("hole", Set.of(WRITE), c -> c.position(15).write(bytes("x")) + "," + c.size()),
                channel(
                        "truncate",
                        Set.of(READ, WRITE),
                        c -> c.position(8).truncate(5).position() + "," + c.size()),
                channel(
                        "truncate to more",
                        Set.of(WRITE),
                        c -> c.position(30).truncate(20).position() + "," + c.size()),
                channel("append", Set.of(APPEND), c -> {
                    int written = c.write(bytes("ab"));
                    return written + c.write(bytes("cd")) + "," + c.position() + "," + c.size();
                }),
                channel("append and read", Set.of(APPEND, READ), c -> c.size()),
                channel("append and truncate", Set.of(APPEND, TRUNCATE_EXISTING), c -> c.size()),
                channel("truncate existing", Set.of(WRITE, TRUNCATE_EXISTING), c -> c.size()),
                channel("truncate existing, to read", Set.of(READ, TRUNCATE_EXISTING), c -> c.size()),
                channel("create new", Set.of(WRITE, CREATE_NEW), c -> c.size()),
                channel("create new, to read", Set.of(READ, CREATE_NEW), c -> c.size()),
                channel("delete on close", Set.of(WRITE, DELETE_ON_CLOSE), c -> c.write(bytes("x"))),
                channel("closed", Set.of(READ), c -> {
                    c.close();
                    return c.isOpen() + "," + c.size();
                }),
                channel("closed, position", Set.of(READ), c -> {
                    c.close();
                    return c.position(0);
                }),
                channel("scatter", Set.of(READ), c -> {
                    ByteBuffer[] buffers = {ByteBuffer.allocate(4), ByteBuffer.allocate(4), ByteBuffer.allocate(4)};
                    return c.read(buffers) + "," + c.read(buffers) + "," + c.position();
                }),
                channel("gather", Set.of(READ, WRITE), c -> {
                    long written = c.write(new ByteBuffer[] {bytes("ab"), bytes("cde")});
                    return written + read(c, 10);
                }),
                channel("force", Set.of(WRITE), c -> {
                    c.write(bytes("abc"));
                    c.force(true);
                    return c.size();
                }),
                of("transfer", d -> {
                    Files.writeString(d.resolve("f"), "0123456789");
                    try (FileChannel from = FileChannel.open(d.resolve("f"), READ);
                            FileChannel to = FileChannel.open(d.resolve("g"), WRITE, CREATE)) {
                        return from.transferTo(2, 5, to) + "," + to.transferFrom(from, 1, 3) + ","
                                + to.transferFrom(from, 100, 3) + "," + from.transferTo(20, 3, to);
                    }
                }),
                of("others see what is written", d -> {
                    try (SeekableByteChannel to = open(d.resolve("f"), WRITE, CREATE_NEW);
                            SeekableByteChannel from = open(d.resolve("f"), READ)) {
                        StringBuilder seen = new StringBuilder();
                        for (int i = 0; i < 5; i++) {
                            to.write(bytes("x" + i));
                            seen.append(read(from, 10)).append(Files.size(d.resolve("f")));
                            to.position(0).write(bytes("y"));
                            seen.append(read(from.position(0), 1));
                            to.position(to.size());
                            from.position(to.size());
                        }
                        return seen;
                    }
                }),
                of("open without follow", d -> {
                    Files.createSymbolicLink(
                            d.resolve("l"), Files.createFile(d.resolve("f")).getFileName());
                    return open(d.resolve("l"), READ, LinkOption.NOFOLLOW_LINKS);
                }),
                of("asynchronous", d -> {
                    Set<OpenOption> options = Set.of(READ, WRITE, CREATE);
                    try (AsynchronousFileChannel channel =
                            AsynchronousFileChannel.open(d.resolve("f"), options, null)) {
                        ByteBuffer buffer = ByteBuffer.allocate(10);
                        return channel.write(bytes("abcdef"), 2).get() + ","
                                + channel.read(buffer, 4).get() + ","
                                + channel.read(buffer, 8).get() + "," + channel.size() + ","
                                + channel.truncate(3).size();
                    }
                }),
                of("asynchronous append", d -> AsynchronousFileChannel.open(d.resolve("f"), WRITE, CREATE, APPEND)),
                of("asynchronous read of what is open to write", d -> {
                    try (AsynchronousFileChannel channel =
                            AsynchronousFileChannel.open(d.resolve("f"), WRITE, CREATE)) {
                        return channel.read(ByteBuffer.allocate(1), 0).get();
                    }
                }),
                of("asynchronous closed", d -> {
                    AsynchronousFileChannel channel = AsynchronousFileChannel.open(d.resolve("f"), READ, WRITE, CREATE);
                    channel.close();
                    return channel.read(ByteBuffer.allocate(1), 0).get();
                }));
    }

    static Stream<Case> directories() {
        return Stream.of(
                of("create", d -> Files.createDirectory(d.resolve("e"))),
                of("create twice", d -> Files.createDirectory(Files.createDirectory(d.resolve("e")))),
                of("create in nothing", d -> Files.createDirectory(d.resolve("e/f"))),
                of("create all", d -> Files.createDirectories(d.resolve("e/f/g"))),
                of("create all over a file", d -> Files.createDirectories(Files.createFile(d.resolve("f")))),
                of("list", d -> {
                    Files.createFile(d.resolve("b"));
                    Files.createDirectory(d.resolve("a"));
                    return list(d, "*");
                }),
                of("list by glob", d -> {
                    for (String name : List.of("a.c", "b.java", "c.class", "d", ".e", "[x]")) {
                        Files.createFile(d.resolve(name));
                    }
                    return Stream.of("*", "*.*", "*.{java,class}", "?", "[a-c]*", "[!a]*", "{a,b}*", "\\[x\\]", "**")
                            .map(glob -> {
                                try {
                                    return glob + list(d, glob);
                                } catch (IOException e) {
                                    return e.toString();
                                }
                            })
                            .collect(Collectors.joining("\n"));
                }),
                of("bad glob", d -> d.getFileSystem().getPathMatcher("glob:{a")),
                of("unknown syntax", d -> d.getFileSystem().getPathMatcher("x:a")),
                of("list a file", d -> list(Files.createFile(d.resolve("f")), "*")),
                of("list nothing", d -> list(d.resolve("none"), "*")),
                of("two iterators", d -> {
                    try (DirectoryStream<Path> stream = Files.newDirectoryStream(d)) {
                        return stream.iterator().hasNext() + ","
                                + stream.iterator().hasNext();
                    }
                }),
                of("delete a full one", d -> {
                    Files.createFile(Files.createDirectory(d.resolve("e")).resolve("f"));
                    Files.delete(d.resolve("e"));
                    return "done";
                }),
                of("walk", d -> {
                    Files.createFile(Files.createDirectories(d.resolve("a/b")).resolve("c"));
                    Files.createSymbolicLink(d.resolve("a/l"), path(d, "b"));
                    try (Stream<Path> paths = Files.walk(d, java.nio.file.FileVisitOption.FOLLOW_LINKS)) {
                        return paths.map(Path::toString).sorted().toList();
                    }
                }),
                of("find", d -> {
                    Files.writeString(d.resolve("f"), "12345");
                    try (Stream<Path> paths = Files.find(d, 3, (path, is) -> is.size() == 5)) {
                        return paths.toList();
                    }
                }));
    }

    private static Set<String> list(Path directory, String glob) throws IOException {
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory, glob)) {
            Set<String> names = new TreeSet<>();
            entries.forEach(path -> names.add(path.getFileName().toString()));
            return names;
        }
    }

    private static Path tree(Path directory, String name) throws IOException {
        Path top = Files.createDirectory(directory.resolve(name));
        Files.writeString(top.resolve("file"), name);
        return top;
    }

    static Stream<Case> copies() {
        return Stream.of(
                of("copy", d -> Files.copy(Files.writeString(d.resolve("f"), "x"), d.resolve("g"))),
                of("copy nothing", d -> Files.copy(d.resolve("f"), d.resolve("g"))),
                of("copy over", d -> Files.copy(Files.createFile(d.resolve("f")), Files.createFile(d.resolve("g")))),
                of(
                        "copy over, replacing",
                        d -> Files.copy(
                                Files.writeString(d.resolve("f"), "x"),
                                Files.createFile(d.resolve("g")),
                                REPLACE_EXISTING)),
                of("copy to itself", d -> Files.copy(Files.writeString(d.resolve("f"), "x"), d.resolve("f"))),
                of("copy a directory", d -> Files.copy(tree(d, "a"), d.resolve("b"))),
                of(
                        "copy over a full directory",
                        d -> Files.copy(Files.writeString(d.resolve("f"), "x"), tree(d, "a"), REPLACE_EXISTING)),
                of(
                        "copy over an empty directory",
                        d -> Files.copy(
                                Files.writeString(d.resolve("f"), "x"),
                                Files.createDirectory(d.resolve("e")),
                                REPLACE_EXISTING)),
                of("copy atomically", d -> Files.copy(Files.createFile(d.resolve("f")), d.resolve("g"), ATOMIC_MOVE)),
                of("copy with attributes", d -> {
                    Path file = Files.writeString(d.resolve("f"), "x");
                    Files.setLastModifiedTime(file, FileTime.from(Instant.parse("2001-02-03T04:05:06Z")));
                    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwx------"));
                    return Files.getLastModifiedTime(Files.copy(file, d.resolve("g"), COPY_ATTRIBUTES));
                }),
                of(
                        "copy a link",
                        d -> Files.copy(
                                Files.createSymbolicLink(d.resolve("l"), path(d, "none")),
                                d.resolve("m"),
                                LinkOption.NOFOLLOW_LINKS)),
                of("copy what a link leads to", d -> {
                    Files.writeString(d.resolve("f"), "x");
                    return Files.copy(Files.createSymbolicLink(d.resolve("l"), path(d, "f")), d.resolve("m"));
                }));
    }

    static Stream<Case> moves() {
        return Stream.of(
                of("move", d -> Files.move(Files.writeString(d.resolve("f"), "x"), d.resolve("g"))),
                of("move nothing", d -> Files.move(d.resolve("f"), d.resolve("g"))),
                of("move over", d -> Files.move(Files.createFile(d.resolve("f")), Files.createFile(d.resolve("g")))),
                of(
                        "move over, replacing",
                        d -> Files.move(
                                Files.writeString(d.resolve("f"), "x"),
                                Files.createFile(d.resolve("g")),
                                REPLACE_EXISTING)),
                of(
                        "move over, atomically",
                        d -> Files.move(
                                Files.writeString(d.resolve("f"), "x"), Files.createFile(d.resolve("g")), ATOMIC_MOVE)),
                of("move to itself", d -> Files.move(Files.writeString(d.resolve("f"), "x"), d.resolve("f"))),
                of("move a tree", d -> Files.move(tree(d, "a"), d.resolve("b"))),
                of("move a tree over a full one", d -> Files.move(tree(d, "a"), tree(d, "b"), REPLACE_EXISTING)),
                of(
                        "move a tree over an empty one",
                        d -> Files.move(tree(d, "a"), Files.createDirectory(d.resolve("b")), REPLACE_EXISTING)),
                of(
                        "move a file over an empty directory",
                        d -> Files.move(
                                Files.createFile(d.resolve("f")),
                                Files.createDirectory(d.resolve("b")),
                                REPLACE_EXISTING)),
                of(
                        "move a link",
                        d -> Files.move(Files.createSymbolicLink(d.resolve("l"), path(d, "none")), d.resolve("m"))),
                of("move into nothing", d -> Files.move(Files.createFile(d.resolve("f")), d.resolve("none/g"))));
    }

    static Stream<Case> links() {
        return Stream.of(
                of("symbolic", d -> Files.readSymbolicLink(Files.createSymbolicLink(d.resolve("l"), path(d, "../x")))),
                of("symbolic over", d -> Files.createSymbolicLink(Files.createFile(d.resolve("l")), path(d, "x"))),
                of("read no link", d -> Files.readSymbolicLink(Files.createFile(d.resolve("f")))),
                of("read nothing", d -> Files.readSymbolicLink(d.resolve("f"))),
                of("hard", d -> Files.createLink(d.resolve("g"), Files.writeString(d.resolve("f"), "x"))),
                of(
                        "hard over",
                        d -> Files.createLink(Files.createFile(d.resolve("g")), Files.createFile(d.resolve("f")))),
                of("hard to nothing", d -> Files.createLink(d.resolve("g"), d.resolve("f"))),
                of("loop", d -> Files.readString(Files.createSymbolicLink(d.resolve("l"), path(d, "l")))),
                of("real path", d -> {
                    Files.createFile(Files.createDirectories(d.resolve("a/b")).resolve("f"));
                    Files.createSymbolicLink(d.resolve("l"), path(d, "a/b"));
                    Path through = d.resolve("l/./../b/f");
                    return List.of(through.toRealPath(), through.toRealPath(LinkOption.NOFOLLOW_LINKS));
                }),
                of("real path of nothing", d -> d.resolve("none").toRealPath()),
                of("through a link", d -> {
                    tree(d, "a");
                    return Files.readString(Files.createSymbolicLink(d.resolve("l"), path(d, "a"))
                            .resolve("file"));
                }));
    }

    static Stream<Case> attributes() {
        return Stream.of(
                of("times", d -> {
                    Path file = Files.createFile(d.resolve("f"));
                    FileTime time = FileTime.from(Instant.parse("2001-02-03T04:05:06.789Z"));
                    Files.getFileAttributeView(file, BasicFileAttributeView.class)
                            .setTimes(time, time, null);
                    return Files.readAttributes(file, "lastModifiedTime,lastAccessTime,size,isDirectory")
                                    .toString()
                                    .length()
                            + " " + Files.getLastModifiedTime(file);
                }),
                of("permissions", d -> {
                    Path file = Files.createFile(d.resolve("f"));
                    Files.setPosixFilePermissions(file, Set.of(PosixFilePermission.OWNER_READ));
                    return Files.getPosixFilePermissions(file);
                }),
                of("by name", d -> {
                    Path file = Files.createFile(d.resolve("f"));
                    Files.setAttribute(file, "posix:permissions", PosixFilePermissions.fromString("rwxr-x---"));
                    return Files.getAttribute(file, "posix:permissions")
                                    .equals(PosixFilePermissions.fromString("rwxr-x---"))
                            + ""
                            + Files.readAttributes(file, "posix:*").keySet().stream()
                                    .sorted()
                                    .toList()
                            + Files.readAttributes(file, "owner:*").keySet()
                            + Files.readAttributes(file, "size").keySet();
                }),
                of("unknown name", d -> Files.getAttribute(d, "posix:nonsense")),
                of("unknown view", d -> Files.getAttribute(d, "nonsense:size")),
                of("read-only name", d -> Files.setAttribute(d, "size", 1L)),
                of("wrong type", d -> Files.setAttribute(d, "lastModifiedTime", 1L)),
                of("of nothing", d -> Files.readAttributes(d.resolve("f"), "*")),
                of("of DOS", d -> Files.getFileAttributeView(d, java.nio.file.attribute.AclFileAttributeView.class)),
                of("of a link", d -> {
                    Path link = Files.createSymbolicLink(d.resolve("l"), path(d, "none"));
                    return Files.readAttributes(link, "isSymbolicLink,isOther,isRegularFile", LinkOption.NOFOLLOW_LINKS)
                            .values()
                            .stream()
                            .map(String::valueOf)
                            .sorted()
                            .toList();
                }),
                of("of a dangling link", d -> Files.size(Files.createSymbolicLink(d.resolve("l"), path(d, "none")))),
                of("owner", d -> {
                    Path file = Files.createFile(d.resolve("f"));
                    Files.setOwner(file, Files.getOwner(file));
                    return Files.getOwner(file).equals(Files.getOwner(d));
                }),
                of("key", d -> {
                    Path file = Files.createFile(d.resolve("f"));
                    Path link = Files.createLink(d.resolve("g"), file);
                    return Files.getAttribute(file, "fileKey").equals(Files.getAttribute(link, "fileKey"));
                }),
                of(
                        "store",
                        d -> Files.getFileStore(d).supportsFileAttributeView("posix")
                                && Files.getFileStore(d).getTotalSpace()
                                        >= Files.getFileStore(d).getUsableSpace()),
                of("store of nothing", d -> Files.getFileStore(d.resolve("none"))));
    }

    static Stream<Case> locks() {
        return Stream.of(
                channel("lock", Set.of(WRITE), c -> {
                    FileLock lock = c.lock();
                    String held = lock.isValid() + "," + lock.isShared() + "," + lock.position() + "," + lock.size();
                    lock.release();
                    lock.release();
                    return held + lock.isValid();
                }),
                channel("overlapping", Set.of(WRITE), c -> {
                    c.lock(0, 10, false);
                    return c.tryLock(5, 10, false);
                }),
                channel("side by side", Set.of(WRITE), c -> {
                    c.lock(0, 10, false);
                    return c.tryLock(10, 10, false).isValid();
                }),
                channel("shared without read", Set.of(WRITE), c -> c.lock(0, 10, true)),
                channel("exclusive without write", Set.of(READ), c -> c.lock(0, 10, false)),
                channel("negative", Set.of(WRITE), c -> c.lock(-1, 10, false)),
                of("overlapping by another channel", d -> {
                    try (FileChannel one = FileChannel.open(d.resolve("f"), WRITE, CREATE);
                            FileChannel two = FileChannel.open(d.resolve("f"), WRITE)) {
                        one.lock();
                        return two.tryLock();
                    }
                }),
                of("after the other is closed", d -> {
                    try (FileChannel two = FileChannel.open(d.resolve("f"), WRITE, CREATE)) {
                        FileLock first;
                        try (FileChannel one = FileChannel.open(d.resolve("f"), WRITE)) {
                            first = one.lock();
                        }
                        return first.isValid() + "," + two.tryLock().isValid();
                    }
                }),
                of("release after close", d -> {
                    FileChannel channel = FileChannel.open(d.resolve("f"), WRITE, CREATE);
                    FileLock lock = channel.lock();
                    channel.close();
                    lock.release();
                    return "released";
                }),
                of("asynchronous", d -> {
                    try (AsynchronousFileChannel channel =
                            AsynchronousFileChannel.open(d.resolve("f"), WRITE, CREATE)) {
                        FileLock lock = channel.lock().get();
                        boolean valid = lock.isValid();
                        lock.release();
                        return valid + "," + lock.isValid() + ","
                                + channel.tryLock().isValid();
                    }
                }));
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
        return Stream.of("/", "a", "/a b/c", "/größe/漢字", "/%41", "/a?b#c", "/a&b=c;d", "/a:b", "/😀");
    }
}
