package io.verbena.itests.model;

import io.verbena.nfs.Mount;
import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** A directory of this host in the place of both mounts: what the model promises holds there, and the model is tested. */
final class LocalWorld implements World {
    private final Path directory;
    private final Side[] sides = new Side[2];

    /**
     * Both mounts of one directory.
     *
     * @param lostWrites one in that many writes is not done, to be found; 0 for none
     */
    LocalWorld(Path directory, int lostWrites) {
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
        // the directory is the test's
    }
}
