package io.verbena.standalone;

import static io.verbena.standalone.ContractCase.example;
import static io.verbena.standalone.ContractCase.path;
import static io.verbena.standalone.ContractCase.tree;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Cases of directories, and of links in them. */
final class DirectoryCases {
    private DirectoryCases() {}

    static Stream<ContractCase> directories() {
        return Stream.of(
                example("create", d -> Files.createDirectory(d.resolve("e"))),
                example("create twice", d -> Files.createDirectory(Files.createDirectory(d.resolve("e")))),
                example("create in nothing", d -> Files.createDirectory(d.resolve("e/f"))),
                example("create the root", d -> Files.createDirectory(d.getRoot())),
                example("create all of the root", d -> Files.createDirectories(d.getRoot())),
                example(
                        "create a way back",
                        d -> Files.createDirectory(tree(d, "a").resolve(".."))),
                example("create here", d -> Files.createDirectories(d.resolve("."))),
                example("link as the root", d -> Files.createSymbolicLink(d.getRoot(), path(d, "x"))),
                example("file as the root", d -> Files.createFile(d.getRoot())),
                example("create all", d -> Files.createDirectories(d.resolve("e/f/g"))),
                example("create all over a file", d -> Files.createDirectories(Files.createFile(d.resolve("f")))),
                example("list", d -> {
                    Files.createFile(d.resolve("b"));
                    Files.createDirectory(d.resolve("a"));
                    return list(d, "*");
                }),
                example("list by glob", d -> {
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
                example("bad glob", d -> d.getFileSystem().getPathMatcher("glob:{a")),
                example("unknown syntax", d -> d.getFileSystem().getPathMatcher("x:a")),
                example("list a file", d -> list(Files.createFile(d.resolve("f")), "*")),
                example("list nothing", d -> list(d.resolve("none"), "*")),
                example("two iterators", d -> {
                    try (DirectoryStream<Path> stream = Files.newDirectoryStream(d)) {
                        return stream.iterator().hasNext() + ","
                                + stream.iterator().hasNext();
                    }
                }),
                example("delete a full one", d -> {
                    Files.createFile(Files.createDirectory(d.resolve("e")).resolve("f"));
                    Files.delete(d.resolve("e"));
                    return "done";
                }),
                example("walk", d -> {
                    Files.createFile(Files.createDirectories(d.resolve("a/b")).resolve("c"));
                    Files.createSymbolicLink(d.resolve("a/l"), path(d, "b"));
                    try (Stream<Path> paths = Files.walk(d, java.nio.file.FileVisitOption.FOLLOW_LINKS)) {
                        return paths.map(Path::toString).sorted().toList();
                    }
                }),
                example("find", d -> {
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

    static Stream<ContractCase> links() {
        return Stream.of(
                example(
                        "symbolic",
                        d -> Files.readSymbolicLink(Files.createSymbolicLink(d.resolve("l"), path(d, "../x")))),
                example("symbolic over", d -> Files.createSymbolicLink(Files.createFile(d.resolve("l")), path(d, "x"))),
                example("read no link", d -> Files.readSymbolicLink(Files.createFile(d.resolve("f")))),
                example("read nothing", d -> Files.readSymbolicLink(d.resolve("f"))),
                example("hard", d -> Files.createLink(d.resolve("g"), Files.writeString(d.resolve("f"), "x"))),
                example(
                        "hard over",
                        d -> Files.createLink(Files.createFile(d.resolve("g")), Files.createFile(d.resolve("f")))),
                example("hard to nothing", d -> Files.createLink(d.resolve("g"), d.resolve("f"))),
                example("loop", d -> Files.readString(Files.createSymbolicLink(d.resolve("l"), path(d, "l")))),
                example("real path", d -> {
                    Files.createFile(Files.createDirectories(d.resolve("a/b")).resolve("f"));
                    Files.createSymbolicLink(d.resolve("l"), path(d, "a/b"));
                    Path through = d.resolve("l/./../b/f");
                    return List.of(through.toRealPath(), through.toRealPath(LinkOption.NOFOLLOW_LINKS));
                }),
                example("real path of nothing", d -> d.resolve("none").toRealPath()),
                example("through a link", d -> {
                    tree(d, "a");
                    return Files.readString(Files.createSymbolicLink(d.resolve("l"), path(d, "a"))
                            .resolve("file"));
                }));
    }
}
