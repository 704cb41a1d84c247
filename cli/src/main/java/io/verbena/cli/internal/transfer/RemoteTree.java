package io.verbena.cli.internal.transfer;

import io.verbena.cli.internal.Mounts;
import io.verbena.cli.internal.RemotePath;
import io.verbena.nfs.AttributeChanges;
import io.verbena.nfs.DirectoryEntry;
import io.verbena.nfs.FileAttributes;
import io.verbena.nfs.Mount;
import io.verbena.nfs.MountState;
import io.verbena.nfs.RemoteFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileSystemLoopException;
import java.nio.file.NoSuchFileException;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** Files of a mount, and of those that take its place when the client's bundle is replaced. */
final class RemoteTree implements FileTree {
    private static final Duration SUCCESSOR_TIMEOUT = Duration.ofSeconds(60);
    private static final int PRIVATE_FILE = 0_600;
    private static final int PRIVATE_DIRECTORY = 0_700;

    private final Mounts mounts;
    private volatile Mount mount;

    RemoteTree(Mounts mounts, Mount mount) {
        this.mounts = mounts;
        this.mount = mount;
    }

    @Override
    public String describe(String path) {
        return new RemotePath(mount.name(), path).toString();
    }

    @Override
    public String child(String directory, String name) {
        return new RemotePath("", directory).child(name).path();
    }

    @Override
    public String sibling(String path, String name) {
        return new RemotePath("", path).parent().child(name).path();
    }

    @Override
    public String name(String path) {
        return new RemotePath("", path).name();
    }

    @Override
    public Optional<Node> find(String path, boolean followLink) throws IOException {
        try {
            return Optional.of(node(name(path), mount.attributes(path, followLink)));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    private static Node node(String name, FileAttributes attributes) {
        return new Node(name, attributes.type(), attributes.size(), attributes.mode() & 0_777, attributes.modified());
    }

    @Override
    public List<Node> list(String directory) throws IOException {
        List<Node> nodes = new ArrayList<>();
        for (DirectoryEntry entry : mount.entries(directory)) {
            checkName(entry.name());
            nodes.add(node(entry.name(), entry.attributes()));
        }
        return nodes;
    }

    /** A name comes from the server, and must not lead out of the directory that is being written. */
    private static void checkName(String name) throws IOException {
        if (name.isEmpty() || name.equals(".") || name.equals("..") || name.indexOf('/') >= 0 || name.indexOf(0) >= 0) {
            throw new IOException("the server lists a name that no file can have");
        }
    }

    @Override
    public boolean mayWrite(String path) throws IOException {
        return mount.mayAccess(path, false, true, false);
    }

    @Override
    public String resolve(String path) throws IOException {
        String current = path;
        for (int links = 0; links < 40; links++) {
            Optional<Node> node = find(current, false);
            if (node.isEmpty()
                    || !node.get().isSymbolicLink()
                    || find(current, true).isEmpty()) {
                return current;
            }
            String target = readLink(current);
            current = target.startsWith("/") ? target : sibling(current, target);
        }
        throw new FileSystemLoopException(path);
    }

    @Override
    public void createDirectory(String path) throws IOException {
        mount.createDirectory(path, PRIVATE_DIRECTORY);
    }

    @Override
    public String readLink(String path) throws IOException {
        return mount.readLink(path);
    }

    @Override
    public void createSymbolicLink(String path, String target) throws IOException {
        mount.createSymbolicLink(path, target);
    }

    @Override
    public void setAttributes(String path, int mode, Instant modified) throws IOException {
        mount.setAttributes(path, AttributeChanges.NONE.withMode(mode).withTimes(null, modified));
    }

    @Override
    public void rename(String from, String to) throws IOException {
        mount.rename(from, to);
    }

    @Override
    public void remove(String path) throws IOException {
        mount.remove(path);
    }

    @Override
    public BlockSource read(String path) throws IOException {
        RemoteFile file = mount.open(path, Set.of(StandardOpenOption.READ), 0);
        try {
            return new Source(file, file.attributes().size());
        } catch (IOException e) {
            closeAfter(file, e);
            throw e;
        }
    }

    private static void closeAfter(RemoteFile file, IOException failure) {
        try {
            file.close();
        } catch (IOException e) {
            failure.addSuppressed(e);
        }
    }

    @Override
    public BlockSink write(String path, boolean isNew) throws IOException {
        Set<StandardOpenOption> options = isNew
                ? Set.of(StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW)
                : Set.of(StandardOpenOption.WRITE);
        return new Sink(mount.open(path, options, PRIVATE_FILE));
    }

    @Override
    public boolean isReachable() {
        return mount.state() == MountState.MOUNTED;
    }

    @Override
    public Object session() {
        return mount;
    }

    @Override
    public synchronized boolean recover(Object failed) throws IOException, InterruptedException {
        if (mount != failed) {
            return true;
        }
        Optional<Mount> successor = mounts.successor(mount, SUCCESSOR_TIMEOUT);
        if (successor.isEmpty()) {
            return false;
        }
        successor.get().connect(SUCCESSOR_TIMEOUT);
        mount = successor.get();
        return true;
    }

    private record Source(RemoteFile file, long size) implements BlockSource {
        @Override
        public boolean isAsynchronous() {
            return true;
        }

        @Override
        public CompletableFuture<Integer> read(ByteBuffer destination, long position) {
            return file.readAsync(destination, position);
        }

        @Override
        public void close() throws IOException {
            file.close();
        }
    }

    private record Sink(RemoteFile file) implements BlockSink {
        @Override
        public boolean canHaveHoles() {
            return true;
        }

        @Override
        public CompletableFuture<Void> write(ByteBuffer source, long position) {
            return file.writeAsync(source, position);
        }

        @Override
        public void checkpoint() throws IOException {
            file.sync();
        }

        @Override
        public void finish(long size) throws IOException {
            if (file.attributes().size() != size) {
                file.truncate(size);
            }
        }

        @Override
        public void close() throws IOException {
            file.close();
        }
    }
}
