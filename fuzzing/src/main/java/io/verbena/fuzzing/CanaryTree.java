package io.verbena.fuzzing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Files beside a tree under attack. A difference between two snapshots shows that something reached them. */
public final class CanaryTree {
    private final Path top;
    private final Map<String, String> before;

    private CanaryTree(Path top) throws IOException {
        this.top = top;
        this.before = snapshot(top);
    }

    /** Makes a few files, directories and links of several modes in an empty directory. */
    public static CanaryTree make(Path top) throws IOException {
        Path directory = Files.createDirectories(top.resolve("directory"));
        Files.writeString(top.resolve("file"), "nobody may change this");
        Files.writeString(directory.resolve("inner"), "nor this");
        Files.createSymbolicLink(top.resolve("link"), Path.of("directory/inner"));
        Files.createDirectory(directory.resolve("empty"));
        Files.setAttribute(top.resolve("file"), "unix:mode", 0640);
        Files.setAttribute(directory, "unix:mode", 0750);
        return new CanaryTree(top);
    }

    /** Where it is. */
    public Path top() {
        return top;
    }

    /** Fails if anything differs from the time of {@link #make}: content, kind, mode, owner, links, times. */
    public void check() throws IOException {
        Map<String, String> now = snapshot(top);
        if (!now.equals(before)) {
            throw new AssertionError("outside has changed: " + before + " is now " + now);
        }
    }

    private static Map<String, String> snapshot(Path top) throws IOException {
        Map<String, String> found = new TreeMap<>();
        try (Stream<Path> all = Files.walk(top)) {
            for (Path each : all.toList()) {
                Map<String, Object> status = new TreeMap<>(
                        Files.readAttributes(each, "unix:mode,uid,gid,nlink,ino,ctime", LinkOption.NOFOLLOW_LINKS));
                status.put("modified", Files.getLastModifiedTime(each, LinkOption.NOFOLLOW_LINKS));
                if (Files.isSymbolicLink(each)) {
                    status.put("target", Files.readSymbolicLink(each));
                } else if (Files.isRegularFile(each)) {
                    status.put("content", Files.readString(each));
                }
                found.put(top.relativize(each).toString(), status.toString());
            }
        }
        return found;
    }
}
