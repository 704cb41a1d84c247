package io.verbena.standalone;

import static io.verbena.standalone.ContractCase.example;
import static io.verbena.standalone.ContractCase.path;
import static io.verbena.standalone.ContractCase.permissions;
import static java.nio.file.StandardOpenOption.APPEND;
import static java.nio.file.StandardOpenOption.WRITE;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Cases of operations on whole files: create, read, write, remove. */
final class FileCases {
    private FileCases() {}

    static Stream<ContractCase> files() {
        return Stream.of(
                example("NUL in a name", d -> d.resolve("a\0b")),
                example("subpath beyond", d -> path(d, "a/b").subpath(1, 3)),
                example("write and read", d -> Files.readString(Files.writeString(d.resolve("f"), "text"))),
                example("write lines over longer", d -> {
                    Files.writeString(d.resolve("f"), "something long");
                    return Files.readAllLines(Files.write(d.resolve("f"), List.of("a", "b")));
                }),
                example(
                        "names in UTF-8",
                        d -> Files.readString(Files.writeString(d.resolve("größe 漢字 😀 %20?#"), "x"))),
                example("read what is not there", d -> Files.readString(d.resolve("none"))),
                example("read in what is not there", d -> Files.readString(d.resolve("none/f"))),
                example(
                        "read in a file",
                        d -> Files.readString(Files.createFile(d.resolve("f")).resolve("g"))),
                example("read a directory", d -> Files.readAllBytes(Files.createDirectory(d.resolve("e")))),
                example("write a directory", d -> Files.writeString(Files.createDirectory(d.resolve("e")), "x")),
                example("create twice", d -> Files.createFile(Files.createFile(d.resolve("f")))),
                example("write without create", d -> Files.writeString(d.resolve("f"), "x", WRITE)),
                example("append", d -> {
                    Files.writeString(d.resolve("f"), "one");
                    Files.writeString(d.resolve("f"), "two", APPEND);
                    return Files.size(d.resolve("f"));
                }),
                example("append to nothing", d -> Files.writeString(d.resolve("f"), "x", APPEND)),
                example(
                        "exists",
                        d -> List.of(Files.exists(d), Files.exists(d.resolve("f")), Files.notExists(d.resolve("f")))),
                example(
                        "what it is",
                        d -> List.of(Files.isDirectory(d), Files.isRegularFile(d), Files.isSymbolicLink(d))),
                example("hidden", d -> List.of(Files.isHidden(d.resolve(".f")), Files.isHidden(d.resolve("f")))),
                example("access", d -> {
                    Path file = Files.createFile(d.resolve("f"));
                    return List.of(Files.isReadable(file), Files.isWritable(file), Files.isReadable(d.resolve("g")));
                }),
                example("delete", d -> {
                    Files.delete(Files.createFile(d.resolve("f")));
                    return Files.deleteIfExists(d.resolve("f"));
                }),
                example("delete what is not there", d -> {
                    Files.delete(d.resolve("f"));
                    return "done";
                }),
                // default permissions may differ
                example(
                        "temporary file",
                        d -> Files.move(Files.createTempFile(d, "a", ".b", permissions("rw-------")), d.resolve("f"))),
                example(
                        "temporary directory",
                        d -> Files.move(Files.createTempDirectory(d, "a", permissions("rwx------")), d.resolve("e"))),
                example("permissions at once", d -> Files.createFile(d.resolve("f"), permissions("rw-------"))),
                example("same file", d -> {
                    Path file = Files.createFile(d.resolve("f"));
                    Path link = Files.createSymbolicLink(d.resolve("l"), file.getFileName());
                    return List.of(Files.isSameFile(file, link), Files.isSameFile(file, d));
                }),
                example("same as nothing", d -> Files.isSameFile(d, d.resolve("none"))),
                example(
                        "mismatch",
                        d -> Files.mismatch(
                                Files.writeString(d.resolve("f"), "abc"), Files.writeString(d.resolve("g"), "abd"))));
    }
}
