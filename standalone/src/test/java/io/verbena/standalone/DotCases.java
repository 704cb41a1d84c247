package io.verbena.standalone;

import static io.verbena.standalone.ContractCase.example;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.util.stream.Stream;

/** Programs whose paths end with a dot or two: the object has no name of its own there. */
final class DotCases {
    private DotCases() {}

    @FunctionalInterface
    private interface PathWork {
        Object on(Path path) throws Exception;
    }

    /** Each operation on {@code a/.}, {@code a/..}, {@code a/b/..} and {@code a/b/.}, where {@code a/b} is empty. */
    private static Stream<ContractCase> each(String name, PathWork work) {
        return Stream.of("a/.", "a/..", "a/b/..", "a/b/.", "none/.", "none/..", "link/.", "file/.", "file/..")
                .map(text -> example(name + " " + text, d -> {
                    Files.createDirectories(d.resolve("a/b"));
                    Files.writeString(d.resolve("file"), "content");
                    Files.createSymbolicLink(
                            d.resolve("link"), d.getFileSystem().getPath("a"));
                    return work.on(d.resolve(text));
                }));
    }

    /** As {@link #each}, without what Linux says to be there while it is not. */
    private static Stream<ContractCase> eachThatIsThere(String name, PathWork work) {
        return each(name, work)
                .filter(one -> !one.name().endsWith("none/.") && !one.name().endsWith("file/."));
    }

    private static Object nothing(Path ignored) {
        return null;
    }

    static Stream<ContractCase> dots() throws IOException {
        return Stream.of(
                        each("delete", path -> {
                            Files.delete(path);
                            return null;
                        }),
                        each("delete if there", Files::deleteIfExists),
                        each("move", path -> nothing(Files.move(path, path.resolveSibling("moved")))),
                        each("move to", path -> nothing(Files.move(top(path).resolve("file"), path))),
                        each(
                                "move over",
                                path -> nothing(Files.move(
                                        top(path).resolve("file"), path, StandardCopyOption.REPLACE_EXISTING))),
                        each(
                                "move atomically over",
                                path -> nothing(
                                        Files.move(top(path).resolve("file"), path, StandardCopyOption.ATOMIC_MOVE))),
                        each("copy", path -> nothing(Files.copy(path, top(path).resolve("copied")))),
                        each("copy to", path -> nothing(Files.copy(top(path).resolve("file"), path))),
                        each(
                                "copy over",
                                path -> nothing(Files.copy(
                                        top(path).resolve("file"), path, StandardCopyOption.REPLACE_EXISTING))),
                        each("make", path -> nothing(Files.createDirectory(path))),
                        each("make all", path -> nothing(Files.createDirectories(path))),
                        eachThatIsThere("create", path -> nothing(Files.createFile(path))),
                        each("write", path -> nothing(Files.writeString(path, "x"))),
                        eachThatIsThere(
                                "write new",
                                path -> nothing(Files.writeString(
                                        path, "x", StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE))),
                        each("link", path -> nothing(Files.createSymbolicLink(path, path.getFileName()))),
                        each(
                                "hard link",
                                path -> nothing(Files.createLink(path, top(path).resolve("file")))),
                        each(
                                "hard link to",
                                path -> nothing(Files.createLink(top(path).resolve("name"), path))),
                        each("read link", path -> nothing(Files.readSymbolicLink(path))),
                        each("is directory", Files::isDirectory),
                        each("real path", path -> path.toRealPath()),
                        each("set time", path -> nothing(Files.setLastModifiedTime(path, FileTime.fromMillis(1_000)))),
                        each("temporary file in", path -> {
                            Files.delete(Files.createTempFile(path, "x", "y"));
                            return null;
                        }),
                        each("list", path -> {
                            try (Stream<Path> entries = Files.list(path)) {
                                return entries.map(Path::toString).sorted().toList();
                            }
                        }),
                        each("walk", path -> {
                            try (Stream<Path> entries = Files.walk(path)) {
                                return entries.map(Path::toString).sorted().toList();
                            }
                        }))
                .flatMap(cases -> cases);
    }

    /** The directory of the case. */
    private static Path top(Path path) {
        Path at = path;
        while (!at.getFileName().toString().startsWith("case-")) {
            at = at.getParent();
        }
        return at;
    }
}
