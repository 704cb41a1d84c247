package io.verbena.standalone;

import static io.verbena.standalone.ContractCase.example;
import static io.verbena.standalone.ContractCase.path;

import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.Set;
import java.util.stream.Stream;

/** Attributes, by all of their names. */
final class AttributeCases {
    private AttributeCases() {}

    static Stream<ContractCase> attributes() {
        return Stream.of(
                example("times", d -> {
                    Path file = Files.createFile(d.resolve("f"));
                    FileTime time = FileTime.from(Instant.parse("2001-02-03T04:05:06.789Z"));
                    Files.getFileAttributeView(file, BasicFileAttributeView.class)
                            .setTimes(time, time, null);
                    return Files.readAttributes(file, "lastModifiedTime,lastAccessTime,size,isDirectory")
                                    .toString()
                                    .length()
                            + " " + Files.getLastModifiedTime(file);
                }),
                example("permissions", d -> {
                    Path file = Files.createFile(d.resolve("f"));
                    Files.setPosixFilePermissions(file, Set.of(PosixFilePermission.OWNER_READ));
                    return Files.getPosixFilePermissions(file);
                }),
                example("by name", d -> {
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
                example("unknown name", d -> Files.getAttribute(d, "posix:nonsense")),
                example("unknown view", d -> Files.getAttribute(d, "nonsense:size")),
                example("read-only name", d -> Files.setAttribute(d, "size", 1L)),
                example("wrong type", d -> Files.setAttribute(d, "lastModifiedTime", 1L)),
                example("of nothing", d -> Files.readAttributes(d.resolve("f"), "*")),
                example(
                        "of DOS",
                        d -> Files.getFileAttributeView(d, java.nio.file.attribute.AclFileAttributeView.class)),
                example("of a link", d -> {
                    Path link = Files.createSymbolicLink(d.resolve("l"), path(d, "none"));
                    return Files.readAttributes(link, "isSymbolicLink,isOther,isRegularFile", LinkOption.NOFOLLOW_LINKS)
                            .values()
                            .stream()
                            .map(String::valueOf)
                            .sorted()
                            .toList();
                }),
                example(
                        "of a dangling link",
                        d -> Files.size(Files.createSymbolicLink(d.resolve("l"), path(d, "none")))),
                example("owner", d -> {
                    Path file = Files.createFile(d.resolve("f"));
                    Files.setOwner(file, Files.getOwner(file));
                    return Files.getOwner(file).equals(Files.getOwner(d));
                }),
                example("key", d -> {
                    Path file = Files.createFile(d.resolve("f"));
                    Path link = Files.createLink(d.resolve("g"), file);
                    return Files.getAttribute(file, "fileKey").equals(Files.getAttribute(link, "fileKey"));
                }),
                example(
                        "store",
                        d -> Files.getFileStore(d).supportsFileAttributeView("posix")
                                && Files.getFileStore(d).getTotalSpace()
                                        >= Files.getFileStore(d).getUsableSpace()),
                example("store of nothing", d -> Files.getFileStore(d.resolve("none"))));
    }
}
