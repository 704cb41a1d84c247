package io.verbena.cli.internal;

import io.verbena.nfs.AttributeChanges;
import io.verbena.nfs.FileAttributes;
import io.verbena.nfs.FileType;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** The attributes of a file of this host, as a server would tell them. */
final class UnixAttributes {
    private UnixAttributes() {}

    static FileAttributes of(Path file, boolean followLink) throws IOException {
        LinkOption[] options = followLink ? new LinkOption[0] : new LinkOption[] {LinkOption.NOFOLLOW_LINKS};
        Map<String, Object> unix = unix(file, options);
        FileType type = FileType.OTHER;
        if ((boolean) unix.get("isRegularFile")) {
            type = FileType.REGULAR;
        } else if ((boolean) unix.get("isDirectory")) {
            type = FileType.DIRECTORY;
        } else if ((boolean) unix.get("isSymbolicLink")) {
            type = FileType.SYMBOLIC_LINK;
        }
        return new FileAttributes(
                type,
                (long) unix.get("size"),
                (long) unix.get("size"),
                (int) unix.get("mode") & 0_7777,
                (int) unix.get("nlink"),
                unix.get("uid").toString(),
                unix.get("gid").toString(),
                instant(unix.get("lastModifiedTime")),
                instant(unix.get("lastAccessTime")),
                instant(unix.get("ctime")),
                1,
                2,
                (long) unix.get("ino"),
                ((FileTime) unix.get("ctime")).to(TimeUnit.NANOSECONDS));
    }

    private static Map<String, Object> unix(Path file, LinkOption... options) throws IOException {
        try {
            return Files.readAttributes(file, "unix:*", options);
        } catch (FileSystemException e) {
            if ("Not a directory".equals(e.getReason())) {
                throw new NotDirectoryException(e.getFile());
            }
            throw e;
        }
    }

    private static FileTime time(Instant instant) {
        return instant == null ? null : FileTime.from(instant);
    }

    private static Instant instant(Object time) {
        return ((FileTime) time).toInstant();
    }

    static void change(Path file, AttributeChanges changes) throws IOException {
        if (changes.mode() != null) {
            Files.setAttribute(file, "unix:mode", changes.mode());
        }
        if (changes.owner() != null) {
            Files.setAttribute(file, "unix:uid", Integer.parseInt(changes.owner()));
        }
        if (changes.group() != null) {
            Files.setAttribute(file, "unix:gid", Integer.parseInt(changes.group()));
        }
        if (changes.size() != null) {
            try (RandomAccessFile content = new RandomAccessFile(file.toFile(), "rw")) {
                content.setLength(changes.size());
            }
        }
        Files.getFileAttributeView(file, BasicFileAttributeView.class)
                .setTimes(time(changes.modified()), time(changes.accessed()), null);
    }

    static void changeTimesOfLink(Path link, AttributeChanges changes) throws IOException {
        Files.getFileAttributeView(link, BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
                .setTimes(time(changes.modified()), time(changes.accessed()), null);
    }
}
