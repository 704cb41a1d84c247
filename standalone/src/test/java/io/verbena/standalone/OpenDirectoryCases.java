package io.verbena.standalone;

import static io.verbena.standalone.ContractCase.bytes;
import static io.verbena.standalone.ContractCase.example;
import static io.verbena.standalone.ContractCase.read;

import java.io.IOException;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** Programs that use names in a directory that they have opened. */
final class OpenDirectoryCases {
    private OpenDirectoryCases() {}

    @FunctionalInterface
    private interface OpenWork {
        Object in(SecureDirectoryStream<Path> open, Path directory) throws Exception;
    }

    /** A directory {@code d} with a file, a directory with a file, and links to both; beside it {@code others}. */
    private static ContractCase open(String name, OpenWork work) {
        return example(name, top -> {
            Path directory = Files.createDirectory(top.resolve("d"));
            Files.writeString(directory.resolve("file"), "content");
            Files.createDirectory(directory.resolve("inner"));
            Files.writeString(directory.resolve("inner/file"), "inner content");
            Files.createSymbolicLink(directory.resolve("link"), path(top, "file"));
            Files.createSymbolicLink(directory.resolve("way"), path(top, "inner"));
            Files.createDirectory(top.resolve("others"));
            Files.writeString(top.resolve("others/file"), "of others");
            try (SecureDirectoryStream<Path> open = stream(directory)) {
                return work.in(open, directory);
            }
        });
    }

    @SuppressWarnings("StreamResourceLeak") // the caller closes it
    private static SecureDirectoryStream<Path> stream(Path directory) throws IOException {
        return (SecureDirectoryStream<Path>) Files.newDirectoryStream(directory);
    }

    private static Path path(Path any, String first, String... more) {
        return any.getFileSystem().getPath(first, more);
    }

    private static List<String> names(SecureDirectoryStream<Path> open) {
        List<String> names = new ArrayList<>();
        open.forEach(entry -> names.add(entry.toString()));
        Collections.sort(names);
        return names;
    }

    private static String lastNames(SecureDirectoryStream<Path> open) {
        List<String> names = new ArrayList<>();
        open.forEach(entry -> names.add(entry.getFileName().toString()));
        Collections.sort(names);
        return names.toString();
    }

    private static String content(SecureDirectoryStream<Path> open, Path name, LinkOption... options)
            throws IOException {
        Set<OpenOption> all = new HashSet<>(Set.of(options));
        all.add(StandardOpenOption.READ);
        try (SeekableByteChannel channel = open.newByteChannel(name, all)) {
            return read(channel, 20);
        }
    }

    private static BasicFileAttributes attributes(SecureDirectoryStream<Path> open, Path name) throws IOException {
        return open.getFileAttributeView(name, BasicFileAttributeView.class).readAttributes();
    }

    static Stream<ContractCase> directories() {
        return Stream.of(
                open("open: names", (open, d) -> names(open)),
                open("open: read", (open, d) -> content(open, path(d, "file"))),
                open("open: read by a link", (open, d) -> content(open, path(d, "link"))),
                open(
                        "open: read a link itself",
                        (open, d) -> content(open, path(d, "link"), LinkOption.NOFOLLOW_LINKS)),
                open("open: read below", (open, d) -> content(open, path(d, "inner", "file"))),
                open("open: read what is missing", (open, d) -> content(open, path(d, "missing"))),
                open("open: read by an absolute path", (open, d) -> content(open, d.resolve("inner/file"))),
                open("open: create", (open, d) -> {
                    Set<StandardOpenOption> options = Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
                    try (SeekableByteChannel channel = open.newByteChannel(
                            path(d, "new"),
                            options,
                            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-r-----")))) {
                        return channel.write(bytes("new"));
                    }
                }),
                open(
                        "open: create what is there",
                        (open, d) -> open.newByteChannel(
                                path(d, "file"), Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE))),
                open("open: a directory", (open, d) -> {
                    try (SecureDirectoryStream<Path> inner = open.newDirectoryStream(path(d, "inner"))) {
                        return names(inner) + content(inner, path(d, "file"));
                    }
                }),
                open("open: a directory by a link", (open, d) -> {
                    try (SecureDirectoryStream<Path> inner = open.newDirectoryStream(path(d, "way"))) {
                        return names(inner) + content(inner, path(d, "file"));
                    }
                }),
                open(
                        "open: a link that is no directory",
                        (open, d) -> open.newDirectoryStream(path(d, "way"), LinkOption.NOFOLLOW_LINKS)),
                open("open: a file as a directory", (open, d) -> open.newDirectoryStream(path(d, "file"))),
                open("open: delete a file", (open, d) -> {
                    open.deleteFile(path(d, "file"));
                    open.deleteFile(path(d, "way"));
                    return null;
                }),
                open("open: delete a directory as a file", (open, d) -> {
                    open.deleteFile(path(d, "inner"));
                    return null;
                }),
                open("open: delete a file as a directory", (open, d) -> {
                    open.deleteDirectory(path(d, "file"));
                    return null;
                }),
                open("open: delete a directory that is not empty", (open, d) -> {
                    open.deleteDirectory(path(d, "inner"));
                    return null;
                }),
                open("open: delete a tree", (open, d) -> {
                    try (SecureDirectoryStream<Path> inner = open.newDirectoryStream(path(d, "inner"))) {
                        inner.deleteFile(path(d, "file"));
                    }
                    open.deleteDirectory(path(d, "inner"));
                    return null;
                }),
                open("open: move", (open, d) -> {
                    try (SecureDirectoryStream<Path> inner = open.newDirectoryStream(path(d, "inner"))) {
                        open.move(path(d, "file"), inner, path(d, "moved"));
                        inner.move(path(d, "file"), open, path(d, "up"));
                        return null;
                    }
                }),
                open("open: attributes", (open, d) -> {
                    PosixFileAttributeView view =
                            open.getFileAttributeView(path(d, "file"), PosixFileAttributeView.class);
                    view.setPermissions(PosixFilePermissions.fromString("r--r-----"));
                    PosixFileAttributeView own = open.getFileAttributeView(PosixFileAttributeView.class);
                    own.setPermissions(PosixFilePermissions.fromString("rwx------"));
                    return PosixFilePermissions.toString(view.readAttributes().permissions())
                            + own.readAttributes().isDirectory()
                            + open.getFileAttributeView(path(d, "link"), BasicFileAttributeView.class)
                                    .readAttributes()
                                    .isRegularFile()
                            + open.getFileAttributeView(
                                            path(d, "link"), BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
                                    .readAttributes()
                                    .isSymbolicLink();
                }),
                open("open: attributes of what is missing", (open, d) -> open.getFileAttributeView(
                                path(d, "missing"), BasicFileAttributeView.class)
                        .readAttributes()),
                open("open: itself by a dot", (open, d) -> {
                    try (SecureDirectoryStream<Path> same = open.newDirectoryStream(path(d, "."))) {
                        return lastNames(same)
                                + content(open, path(d, ".", "inner", ".", "file"))
                                + attributes(open, path(d, ".")).isDirectory();
                    }
                }),
                open("open: by dots", (open, d) -> {
                    try (SecureDirectoryStream<Path> above = open.newDirectoryStream(path(d, ".."));
                            SecureDirectoryStream<Path> same = open.newDirectoryStream(path(d, "inner", ".."))) {
                        return lastNames(above)
                                + lastNames(same)
                                + content(open, path(d, "..", "others", "file"))
                                + content(open, path(d, "inner", "..", "file"))
                                + content(above, path(d, "d", "file"))
                                + attributes(open, path(d, "..")).isDirectory()
                                + attributes(open, path(d, "inner", "..")).isDirectory();
                    }
                }),
                open("open: read by no name", (open, d) -> content(open, path(d, ""))),
                open("open: a directory by no name", (open, d) -> open.newDirectoryStream(path(d, ""))),
                open("open: attributes of no name", (open, d) -> attributes(open, path(d, ""))),
                open("open: delete by no name", (open, d) -> {
                    open.deleteFile(path(d, ""));
                    return null;
                }),
                open("open: delete itself by a dot", (open, d) -> {
                    open.deleteDirectory(path(d, "."));
                    return null;
                }),
                open("open: delete by dots", (open, d) -> {
                    open.deleteDirectory(path(d, "inner", ".."));
                    return null;
                }),
                open("open: move a dot", (open, d) -> {
                    open.move(path(d, "."), open, path(d, "moved"));
                    return null;
                }),
                open(
                        "open: create by a dot",
                        (open, d) -> open.newByteChannel(
                                path(d, "."), Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE))),
                open("open: closed", (open, d) -> {
                    open.close();
                    open.deleteFile(path(d, "file"));
                    return null;
                }));
    }
}
