package io.verbena.standalone;

import static io.verbena.standalone.ContractCase.example;
import static io.verbena.standalone.ContractCase.path;
import static io.verbena.standalone.ContractCase.tree;
import static java.nio.file.StandardCopyOption.ATOMIC_MOVE;
import static java.nio.file.StandardCopyOption.COPY_ATTRIBUTES;
import static java.nio.file.StandardCopyOption.REPLACE_EXISTING;

import java.io.IOException;
import java.nio.file.CopyOption;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.stream.Stream;

/** Cases of copies and moves. */
final class TransferCases {
    private TransferCases() {}

    /** {@link Files#copy(Path, Path, CopyOption...)} or {@link Files#move}. */
    private interface Transfer {
        Path to(Path source, Path target, CopyOption... options) throws IOException;
    }

    static Stream<ContractCase> transfers() {
        return Stream.of(both("copy", Files::copy), copies(), both("move", Files::move), moves())
                .flatMap(cases -> cases);
    }

    private static Path file(Path directory) throws IOException {
        return Files.writeString(directory.resolve("f"), "x");
    }

    private static Stream<ContractCase> both(String what, Transfer transfer) {
        return Stream.of(
                example(what, d -> transfer.to(file(d), d.resolve("g"))),
                example(what + " nothing", d -> transfer.to(d.resolve("f"), d.resolve("g"))),
                example(what + " into nothing", d -> transfer.to(file(d), d.resolve("none/g"))),
                example(what + " over", d -> transfer.to(file(d), Files.createFile(d.resolve("g")))),
                example(
                        what + " over, replacing",
                        d -> transfer.to(file(d), Files.createFile(d.resolve("g")), REPLACE_EXISTING)),
                example(what + " to itself", d -> transfer.to(file(d), d.resolve("f"))),
                example(what + " over a full directory", d -> transfer.to(file(d), tree(d, "a"), REPLACE_EXISTING)),
                example(
                        what + " over an empty directory",
                        d -> transfer.to(file(d), Files.createDirectory(d.resolve("e")), REPLACE_EXISTING)));
    }

    private static Stream<ContractCase> copies() {
        return Stream.of(
                example("copy a directory", d -> Files.copy(tree(d, "a"), d.resolve("b"))),
                example(
                        "copy atomically",
                        d -> Files.copy(Files.createFile(d.resolve("f")), d.resolve("g"), ATOMIC_MOVE)),
                example("copy with attributes", d -> {
                    Path file = file(d);
                    Files.setLastModifiedTime(file, FileTime.from(Instant.parse("2001-02-03T04:05:06Z")));
                    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwx------"));
                    return Files.getLastModifiedTime(Files.copy(file, d.resolve("g"), COPY_ATTRIBUTES));
                }),
                example(
                        "copy a link",
                        d -> Files.copy(
                                Files.createSymbolicLink(d.resolve("l"), path(d, "none")),
                                d.resolve("m"),
                                LinkOption.NOFOLLOW_LINKS)),
                example("copy interruptibly", d -> Files.copy(file(d), d.resolve("g"), interruptible())),
                example("copy a link with attributes", d -> {
                    Path link = Files.createSymbolicLink(d.resolve("l"), path(d, "none"));
                    Path copy = Files.copy(link, d.resolve("m"), LinkOption.NOFOLLOW_LINKS, COPY_ATTRIBUTES);
                    return Files.readSymbolicLink(copy);
                }),
                example("copy what a link leads to", d -> {
                    Files.writeString(d.resolve("f"), "x");
                    return Files.copy(Files.createSymbolicLink(d.resolve("l"), path(d, "f")), d.resolve("m"));
                }));
    }

    /** Returns an option of the JDK that is not in java.base. */
    private static CopyOption interruptible() throws ReflectiveOperationException {
        return (CopyOption) Class.forName("com.sun.nio.file.ExtendedCopyOption")
                .getField("INTERRUPTIBLE")
                .get(null);
    }

    private static Stream<ContractCase> moves() {
        return Stream.of(
                example(
                        "move over, atomically",
                        d -> Files.move(file(d), Files.createFile(d.resolve("g")), ATOMIC_MOVE)),
                example("move a tree", d -> Files.move(tree(d, "a"), d.resolve("b"))),
                example("move a tree over a full one", d -> Files.move(tree(d, "a"), tree(d, "b"), REPLACE_EXISTING)),
                example(
                        "move a tree over an empty one",
                        d -> Files.move(tree(d, "a"), Files.createDirectory(d.resolve("b")), REPLACE_EXISTING)),
                example(
                        "move a link",
                        d -> Files.move(Files.createSymbolicLink(d.resolve("l"), path(d, "none")), d.resolve("m"))));
    }
}
