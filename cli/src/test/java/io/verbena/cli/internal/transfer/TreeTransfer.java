package io.verbena.cli.internal.transfer;

import io.verbena.cli.internal.DirectoryMount;
import io.verbena.cli.internal.TestHost;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;

/** A transfer of a tree of every kind of file, into one where some are there already. */
final class TreeTransfer implements AutoCloseable {
    static final int MIB = 1 << 20;

    private static final Instant MODIFIED = Instant.parse("2021-03-04T05:06:07Z");

    enum Direction {
        PUT,
        GET,
        COPY
    }

    final Path from;
    final Path to;
    final Path served;
    final TestHost host;
    int swapTimeout = 60;
    String what = ".";
    int jobs = 4;
    private final Direction direction;

    /**
     * @param folder where all of it is made, below that name
     */
    TreeTransfer(Path folder, String name, Direction direction) throws Exception {
        this.direction = direction;
        Path top = Files.createDirectory(folder.resolve(name));
        Path local = Files.createDirectory(top.resolve("local"));
        served = Files.createDirectory(top.resolve("served"));
        from = (direction == Direction.PUT ? local : served).resolve("from");
        to = (direction == Direction.GET ? local : served).resolve("to");
        host = new TestHost(served);
        make(from.resolve("deep/big"), 2 * MIB + 5);
        make(from.resolve("deep/small"), 7);
        make(from.resolve("empty"), 0);
        Files.createSymbolicLink(from.resolve("link"), Path.of("deep/small"));
        Files.createSymbolicLink(from.resolve("deep/other"), Path.of("small"));
        Files.setLastModifiedTime(from.resolve("deep"), FileTime.from(MODIFIED));
        make(to.resolve("empty"), 1);
        Files.createSymbolicLink(to.resolve("link"), Path.of("elsewhere"));
    }

    /** Makes a file of that many octets, which its size tells. */
    static void make(Path file, int size) throws IOException {
        byte[] content = new byte[size];
        new Random(size).nextBytes(content);
        Files.createDirectories(file.getParent());
        Files.write(file, content);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-x--x"));
        Files.setLastModifiedTime(file, FileTime.from(MODIFIED));
    }

    Summary run(DirectoryMount.Hook hook) throws Exception {
        for (String name : List.of("a", "b")) {
            host.mount(name, "swapTimeout=" + swapTimeout).hook(hook);
        }
        host.hook(hook);
        Location source = direction == Direction.PUT
                ? Location.local(from + "/" + what)
                : Location.remote("a:/from/" + what, host.mounts());
        Location target =
                direction == Direction.GET ? Location.local(to.toString()) : Location.remote("b:/to", host.mounts());
        return Copy.run(
                List.of(source),
                target,
                CopyOptions.of(CopyOptions.Flag.RECURSIVE).withJobs(jobs));
    }

    @Override
    public void close() {
        host.close();
    }

    /** Every file below, with all that a copy keeps of it. */
    static Map<String, String> look(Path top) throws IOException {
        Map<String, String> found = new TreeMap<>();
        try (Stream<Path> files = Files.walk(top)) {
            for (Path file : files.filter(each -> !each.equals(top)).toList()) {
                found.put(top.relativize(file).toString(), describe(file));
            }
        }
        return found;
    }

    static String describe(Path file) throws IOException {
        if (Files.isSymbolicLink(file)) {
            return "to " + Files.readSymbolicLink(file);
        }
        String attributes = Files.getLastModifiedTime(file) + " "
                + PosixFilePermissions.toString(Files.getPosixFilePermissions(file, LinkOption.NOFOLLOW_LINKS));
        return Files.isDirectory(file) ? "directory " + attributes : attributes + " " + digest(file);
    }

    private static String digest(Path file) throws IOException {
        return Files.size(file) + "/" + Arrays.hashCode(Files.readAllBytes(file));
    }
}
