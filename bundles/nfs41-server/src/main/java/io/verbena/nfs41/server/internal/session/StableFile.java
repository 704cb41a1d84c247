package io.verbena.nfs41.server.internal.session;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/** Files that a server keeps for itself and that a loss of power must not take back. */
public final class StableFile {
    private static final FileAttribute<Set<PosixFilePermission>> OWNER_ONLY =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
    private static final FileAttribute<Set<PosixFilePermission>> OWNER_ONLY_FOLDER =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

    private StableFile() {}

    /**
     * Gives a file another content, all of it or none. The content and the file's name are on stable storage when this
     * returns. Blocks.
     */
    public static void replace(Path file, byte[] content) throws IOException {
        Path fresh = file.resolveSibling(file.getFileName() + ".new");
        Files.deleteIfExists(fresh); // one of a process that ended halfway
        Set<StandardOpenOption> options = Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        try (FileChannel channel = FileChannel.open(fresh, options, OWNER_ONLY)) {
            write(channel, content);
        }
        Files.move(fresh, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
        forceDirectory(file.toAbsolutePath().getParent()); // a new name is as durable as its directory
    }

    /**
     * Adds to the end of a file that exists. The content is on stable storage when this returns. After a failure, or a
     * loss of power meanwhile, a first part of it may be there. Blocks.
     */
    static void append(Path file, byte[] content) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE, StandardOpenOption.APPEND)) {
            write(channel, content);
        }
    }

    private static void write(FileChannel channel, byte[] content) throws IOException {
        ByteBuffer left = ByteBuffer.wrap(content);
        while (left.hasRemaining()) {
            channel.write(left);
        }
        channel.force(true);
    }

    /** Makes a folder that is there after a loss of power, with those above it that are missing. Blocks. */
    public static void makeFolder(Path folder) throws IOException {
        Path absolute = folder.toAbsolutePath();
        Path there = absolute;
        while (!Files.exists(there)) {
            there = there.getParent();
        }
        Files.createDirectories(absolute, OWNER_ONLY_FOLDER);
        for (Path made = absolute; !made.equals(there); made = made.getParent()) {
            forceDirectory(made.getParent());
        }
    }

    private static void forceDirectory(Path directory) throws IOException {
        try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }
}
