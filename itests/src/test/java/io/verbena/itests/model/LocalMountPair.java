package io.verbena.itests.model;

import io.verbena.nfs.Mount;
import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** A directory of this host in place of both mounts, to test the model: its rules hold for local files. */
final class LocalMountPair implements MountPair {
    private final Path directory;
    private final Side[] sides = new Side[2];

    /**
     * Creates both mounts of one directory.
     *
     * @param lostWrites one in this many writes is dropped, which the driver has to find; 0 for none
     */
    LocalMountPair(Path directory, int lostWrites) {
        this.directory = directory;
        LocalFiles files = new LocalFiles(lostWrites);
        for (int i = 0; i < sides.length; i++) {
            Mount mount = files.mount(i);
            sides[i] = new Side(i, mount, FileSystems.getDefault(), directory.toString());
        }
    }

    @Override
    public Side side(int number) {
        return sides[number];
    }

    @Override
    public boolean cut() {
        return false;
    }

    @Override
    public boolean swap(int number) {
        return false;
    }

    @Override
    public boolean reconnect(int number) {
        return false;
    }

    @Override
    public Optional<byte[]> content(String name) throws IOException {
        return Optional.of(Files.readAllBytes(directory.resolve(name)));
    }

    @Override
    public boolean preservesUnlinked() {
        return true;
    }

    @Override
    public void close() {
        // the test removes the directory
    }
}
