package io.verbena.nfs.nio.internal.path;

import io.verbena.nfs.FileAttributes;
import java.io.IOException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.NotDirectoryException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/** Finds the real path of an existing file: without symbolic links, {@code .} and {@code ..}. */
final class RealPath {
    private static final int MAX_LINKS = 40;

    private final MountTree fileSystem;
    private final NfsPath up;

    RealPath(MountTree fileSystem) {
        this.fileSystem = fileSystem;
        this.up = NfsPath.parse(fileSystem, "..");
    }

    NfsPath of(NfsPath path, boolean follows) throws IOException {
        NfsPath real = fileSystem.root();
        Deque<String> ahead = new ArrayDeque<>(path.names());
        int links = 0;
        while (!ahead.isEmpty()) {
            String name = ahead.remove();
            if (name.equals(".")) {
                requireDirectory(real);
                continue;
            }
            if (name.equals("..") && !real.endsWith(up) && !fileSystem.isLink(real)) {
                requireDirectory(real);
                real = real.getParent() == null ? real : real.getParent();
                continue;
            }
            NfsPath next = real.resolve(NfsPath.parse(fileSystem, name));
            if (!follows || !attributes(next).isSymbolicLink()) {
                real = next;
                continue;
            }
            if (++links > MAX_LINKS) {
                throw new FileSystemLoopException(path.toString());
            }
            NfsPath held = NfsPath.parse(fileSystem, fileSystem.readLink(next));
            if (held.isAbsolute()) {
                real = fileSystem.root();
            }
            List<String> names = held.names();
            for (int i = names.size() - 1; i >= 0; i--) {
                ahead.push(names.get(i));
            }
        }
        attributes(real);
        return real;
    }

    /** What dots follow has to be a directory, or a link to one. */
    private void requireDirectory(NfsPath path) throws IOException {
        if (!fileSystem.attributes(path, true).isDirectory()) {
            throw new NotDirectoryException(path.toString());
        }
    }

    private FileAttributes attributes(NfsPath path) throws IOException {
        return fileSystem.attributes(path, false);
    }
}
