package io.verbena.nfs.transfer.internal.local;

import io.verbena.dirfd.FileStatus;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** A path that the user named: its links are followed, and it may be a pipe or a device. Stateless. */
final class NamedFile {
    private NamedFile() {}

    /** Returns the attributes of what the path leads to; empty if there is nothing. */
    static Optional<FileStatus> status(Path file) throws IOException {
        Map<String, Object> unix;
        try {
            unix = Files.readAttributes(file, "unix:*");
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
        return Optional.of(new FileStatus(
                (long) unix.get("dev"),
                (long) unix.get("ino"),
                (int) unix.get("mode"),
                (int) unix.get("nlink"),
                (int) unix.get("uid"),
                (int) unix.get("gid"),
                (long) unix.get("rdev"),
                (long) unix.get("size"),
                0,
                (FileTime) unix.get("lastAccessTime"),
                (FileTime) unix.get("lastModifiedTime"),
                (FileTime) unix.get("ctime"),
                null));
    }

    /** Returns an opening of the file that fails if another file has its name by then. */
    static LocalSource.Opening opening(Path file) throws IOException {
        Object key = key(file);
        return new LocalSource.Opening() {
            @Override
            public FileChannel open(Set<? extends OpenOption> options) throws IOException {
                FileChannel channel = FileChannel.open(file, options);
                if (options.size() > 1 && (key == null || !key.equals(key(file)))) {
                    channel.close();
                    throw new NoSuchFileException(file.toString());
                }
                return channel;
            }

            @Override
            public void close() {
                // nothing is open
            }
        };
    }

    private static Object key(Path file) throws IOException {
        return Files.readAttributes(file, BasicFileAttributes.class).fileKey();
    }
}
