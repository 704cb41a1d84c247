package io.verbena.itests.badpath;

import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/** {@link Files} on the file system of a mount. */
final class NioWorkDoor implements WorkDoor {
    private final FileSystem files;

    NioWorkDoor(FileSystem files) {
        this.files = files;
    }

    private Path path(String path) {
        return files.getPath(path);
    }

    @Override
    public void create(String path, byte[] content) throws IOException {
        Files.write(path(path), content, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    }

    @Override
    public void append(String path, byte[] more, int size) throws IOException {
        Files.write(path(path), more, StandardOpenOption.APPEND);
    }

    @Override
    public byte[] read(String path, int size) throws IOException {
        return Files.readAllBytes(path(path));
    }

    @Override
    public void remove(String path) throws IOException {
        Files.delete(path(path));
    }

    @Override
    public void rename(String from, String to) throws IOException {
        Files.move(path(from), path(to), StandardCopyOption.ATOMIC_MOVE);
    }

    @Override
    public void link(String path, String existing) throws IOException {
        Files.createLink(path(path), path(existing));
    }

    @Override
    public void createDirectory(String path) throws IOException {
        Files.createDirectory(path(path));
    }

    @Override
    public void createSymbolicLink(String path, String target) throws IOException {
        Files.createSymbolicLink(path(path), path(target));
    }

    @Override
    public String readLink(String path) throws IOException {
        return Files.readSymbolicLink(path(path)).toString();
    }
}
