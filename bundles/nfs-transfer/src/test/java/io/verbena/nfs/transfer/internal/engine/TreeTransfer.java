package io.verbena.nfs.transfer.internal.engine;

import io.verbena.nfs.transfer.CopyOptions;
import io.verbena.nfs.transfer.CopySummary;
import io.verbena.nfs.transfer.Location;
import io.verbena.nfs.transfer.fixture.DirectoryMount;
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

/** A transfer of a tree with files of every type into a tree that already contains some files. */
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
    final MountHost host;
    String what = ".";
    int jobs = 4;
    private final Direction direction;

    /**
     * Creates the trees.
     *
     * @param folder the directory in which all files are created
     * @param name the name of the directory in that directory
     */
    TreeTransfer(Path folder, String name, Direction direction) throws Exception {
        this.direction = direction;
        Path top = Files.createDirectory(folder.resolve(name));
        Path local = Files.createDirectory(top.resolve("local"));
        served = Files.createDirectory(top.resolve("served"));
        from = (direction == Direction.PUT ? local : served).resolve("from");
        to = (direction == Direction.GET ? local : served).resolve("to");
        host = new MountHost(served);
        make(from.resolve("deep/big"), 2 * MIB + 5);
        make(from.resolve("deep/small"), 7);
        make(from.resolve("empty"), 0);
        Files.createSymbolicLink(from.resolve("link"), Path.of("deep/small"));
        Files.createSymbolicLink(from.resolve("deep/other"), Path.of("small"));
        Files.setLastModifiedTime(from.resolve("deep"), FileTime.from(MODIFIED));
        make(to.resolve("empty"), 1);
        Files.createSymbolicLink(to.resolve("link"), Path.of("elsewhere"));
    }

    /** Creates a file of the given number of octets. Its content is derived from its size. */
    static void make(Path file, int size) throws IOException {
        byte[] content = new byte[size];
        new Random(size).nextBytes(content);
        Files.createDirectories(file.getParent());
        Files.write(file, content);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-x--x"));
        Files.setLastModifiedTime(file, FileTime.from(MODIFIED));
    }

    CopySummary run(DirectoryMount.Hook hook) throws Exception {
        for (String name : List.of("a", "b")) {
            host.mount(name).hook(hook);
        }
        host.hook(hook);
        Location source = direction == Direction.PUT ? MountHost.local(from + "/" + what) : host.at("a:/from/" + what);
        Location target = direction == Direction.GET ? MountHost.local(to.toString()) : host.at("b:/to");
        return host.run(
                List.of(source),
                target,
                CopyOptions.of(CopyOptions.Flag.RECURSIVE).withJobs(jobs));
    }

    @Override
    public void close() {
        host.close();
    }

    /** Returns every file in a tree, with the attributes that a copy keeps. */
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
