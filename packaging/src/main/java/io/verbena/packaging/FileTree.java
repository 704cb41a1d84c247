package io.verbena.packaging;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The files of a package by their absolute paths, in the order of names, so that equal files make equal packages. All
 * belong to root; a mode is 0755 for directories and what may be executed, else 0644, whatever the umask of the build.
 */
final class FileTree {
    static final int EXECUTABLE = 0755;
    static final int PLAIN = 0644;

    /** A directory, a symbolic link, a file of the build's host, or a file of the given text. */
    record Entry(Kind kind, int mode, Path file, String text, String target) {
        long size() throws IOException {
            if (kind != Kind.FILE) {
                return 0;
            }
            return file != null ? Files.size(file) : octets().length;
        }

        InputStream open() throws IOException {
            return file != null ? Files.newInputStream(file) : new ByteArrayInputStream(octets());
        }

        byte[] octets() {
            return text.getBytes(StandardCharsets.UTF_8);
        }
    }

    enum Kind {
        DIRECTORY,
        FILE,
        LINK
    }

    private final TreeMap<String, Entry> entries = new TreeMap<>();

    FileTree copy() {
        FileTree copy = new FileTree();
        copy.entries.putAll(entries);
        return copy;
    }

    Map<String, Entry> entries() {
        return Collections.unmodifiableMap(entries);
    }

    void addDirectory(String path, int mode) {
        addParents(path);
        entries.put(path, new Entry(Kind.DIRECTORY, mode, null, null, null));
    }

    void addLink(String path, String target) {
        addParents(path);
        entries.put(path, new Entry(Kind.LINK, 0777, null, null, target));
    }

    void addText(String path, String text) {
        addParents(path);
        entries.put(path, new Entry(Kind.FILE, PLAIN, null, text, null));
    }

    void addFile(String path, Path file) {
        addParents(path);
        int mode = Files.isExecutable(file) ? EXECUTABLE : PLAIN;
        entries.put(path, new Entry(Kind.FILE, mode, file, null, null));
    }

    /** Adds what is below a folder of the build's host, if there is such a folder. */
    void addAll(String path, Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            return;
        }
        List<Path> found;
        try (Stream<Path> walked = Files.walk(folder)) {
            found = walked.filter(each -> !each.equals(folder)).sorted().toList();
        }
        for (Path each : found) {
            String name = path + "/" + folder.relativize(each);
            if (Files.isSymbolicLink(each)) {
                addLink(name, Files.readSymbolicLink(each).toString());
            } else if (Files.isDirectory(each)) {
                addDirectory(name, EXECUTABLE);
            } else {
                addFile(name, each);
            }
        }
    }

    private void addParents(String path) {
        int slash = path.lastIndexOf('/');
        if (slash > 0) {
            String parent = path.substring(0, slash);
            if (!entries.containsKey(parent)) {
                addDirectory(parent, EXECUTABLE);
            }
        }
    }
}
