package io.verbena.standalone;

import static io.verbena.standalone.ContractCase.example;
import static io.verbena.standalone.ContractCase.path;

import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileOwnerAttributeView;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.nio.file.attribute.UserPrincipalLookupService;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** Cases of attributes, under all their names. */
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
                example("times of a link", d -> {
                    Path file = Files.createFile(d.resolve("f"));
                    FileTime time = FileTime.from(Instant.parse("2001-02-03T04:05:06.789Z"));
                    Files.setLastModifiedTime(file, time);
                    Path link = Files.createSymbolicLink(d.resolve("l"), file.getFileName());
                    FileTime other = FileTime.from(Instant.parse("2011-12-13T14:15:16.171Z"));
                    Files.getFileAttributeView(link, BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
                            .setTimes(other, other, null);
                    return List.of(
                            Files.getLastModifiedTime(link, LinkOption.NOFOLLOW_LINKS),
                            Files.getLastModifiedTime(link),
                            Files.getLastModifiedTime(file));
                }),
                example("times of a dangling link, by name", d -> {
                    Path link = Files.createSymbolicLink(d.resolve("l"), path(d, "none"));
                    FileTime time = FileTime.from(Instant.parse("2001-02-03T04:05:06Z"));
                    Files.setAttribute(link, "lastModifiedTime", time, LinkOption.NOFOLLOW_LINKS);
                    return Files.getAttribute(link, "lastModifiedTime", LinkOption.NOFOLLOW_LINKS);
                }),
                example("permissions of a link", d -> {
                    Path link = Files.createSymbolicLink(d.resolve("l"), Files.createFile(d.resolve("f")));
                    Files.getFileAttributeView(link, PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
                            .setPermissions(Set.of());
                    return "set";
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
                example("stores are equal", d -> {
                    FileStore one = Files.getFileStore(d);
                    FileStore other = Files.getFileStore(Files.createFile(d.resolve("f")));
                    return one.equals(other) + "," + (one.hashCode() == other.hashCode());
                }),
                example("store of nothing", d -> Files.getFileStore(d.resolve("none"))));
    }

    static Stream<ContractCase> owners() {
        return Stream.of(
                example(
                        "a basic view is no other",
                        d -> List.of(
                                Files.getFileAttributeView(d, BasicFileAttributeView.class)
                                        instanceof FileOwnerAttributeView,
                                Files.readAttributes(d, BasicFileAttributes.class) instanceof PosixFileAttributes,
                                Files.getFileAttributeView(d, FileOwnerAttributeView.class)
                                        instanceof BasicFileAttributeView)),
                example(
                        "an owner is no group",
                        d -> List.of(
                                Files.getOwner(d) instanceof GroupPrincipal,
                                Files.getAttribute(d, "posix:group") instanceof GroupPrincipal)),
                example("a user by number", d -> {
                    UserPrincipal user = users(d).lookupPrincipalByName("54321");
                    return user.getName()
                            + (user instanceof GroupPrincipal)
                            + user.equals(users(d).lookupPrincipalByGroupName("54321"));
                }),
                example("a group by number", d -> users(d).lookupPrincipalByGroupName("54321")
                        .getName()),
                example("no such user", d -> users(d).lookupPrincipalByName("no such user")),
                example("no such group", d -> users(d).lookupPrincipalByGroupName("no such group")),
                example("a group as owner", d -> Files.setOwner(d, users(d).lookupPrincipalByGroupName("54321"))));
    }

    private static UserPrincipalLookupService users(Path directory) {
        return directory.getFileSystem().getUserPrincipalLookupService();
    }
}
