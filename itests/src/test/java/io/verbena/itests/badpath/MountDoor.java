package io.verbena.itests.badpath;

import io.verbena.nfs.Mount;
import io.verbena.nfs.RemoteFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Set;

/** The blocking calls of a mount and its files. */
class MountDoor implements WorkDoor {
    private final Mount mount;

    MountDoor(Mount mount) {
        this.mount = mount;
    }

    @Override
    public void create(String path, byte[] content) throws IOException {
        Set<StandardOpenOption> options = Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        try (RemoteFile file = mount.open(path, options, 0644)) {
            file.write(ByteBuffer.wrap(content), 0);
        }
    }

    @Override
    public void append(String path, byte[] more, int size) throws IOException {
        try (RemoteFile file = mount.open(path, Set.of(StandardOpenOption.WRITE), 0644)) {
            file.write(ByteBuffer.wrap(more), size);
        }
    }

    @Override
    public byte[] read(String path, int size) throws IOException {
        ByteBuffer content = ByteBuffer.allocate(size + 1);
        try (RemoteFile file = mount.open(path, Set.of(StandardOpenOption.READ), 0644)) {
            int read = 0;
            while (read >= 0 && content.hasRemaining()) {
                read = file.read(content, content.position());
            }
        }
        return Arrays.copyOf(content.array(), content.position());
    }

    @Override
    public void remove(String path) throws IOException {
        mount.remove(path);
    }

    @Override
    public void rename(String from, String to) throws IOException {
        mount.rename(from, to);
    }

    @Override
    public void link(String path, String existing) throws IOException {
        mount.createLink(path, existing);
    }

    @Override
    public void createDirectory(String path) throws IOException {
        mount.createDirectory(path, 0700);
    }

    @Override
    public void createSymbolicLink(String path, String target) throws IOException {
        mount.createSymbolicLink(path, target);
    }

    @Override
    public String readLink(String path) throws IOException {
        return mount.readLink(path);
    }
}
