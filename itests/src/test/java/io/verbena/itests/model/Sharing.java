package io.verbena.itests.model;

import io.verbena.nfs.RemoteFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Makes changes of one mount known to the other one, and to checks that read the files without the mounts. */
final class Sharing {
    private static final long WHOLE = 1L << 40;
    /** The most changes of a file that a mount has not seen. */
    private static final int MOST_REMEMBERED = 100;

    private final Run run;

    Sharing(Run run) {
        this.run = run;
    }

    /** Makes all changes of a file known to a mount; false where that is not possible. */
    boolean makeKnown(int mount, ModelFile file) throws IOException {
        return file.isAllKnown(mount) || share(mount, file);
    }

    /** Makes sure that a mount may write a range. */
    boolean makeWritable(int mount, ModelFile file, int position, int length) throws IOException {
        return file.mayWrite(mount, position, length) || share(mount, file);
    }

    /** Lets the other mount sync, and this one open or lock the file. */
    boolean share(int mount, ModelFile file) throws IOException {
        syncWriters(1 - mount, file);
        String name = run.nameOf(file);
        List<Door> lockable = run.doors(door -> door.file() == file
                && door.mount() == mount
                && door.isLockable()
                && door.modes().read()
                && file.locks.isEmpty());
        if (name == null && lockable.isEmpty()) {
            return false;
        }
        if (name == null || (!lockable.isEmpty() && run.plan.takes(Kind.LOCK) && run.oneIn(2))) {
            lock(run.any(lockable));
        } else {
            open(run.pair.side(mount), name);
        }
        file.seen(mount);
        return true;
    }

    private void lock(Door door) throws IOException {
        run.note("lock all of " + door + " and release it");
        Door.Lock lock = door.tryLock(0, WHOLE, true, Duration.ZERO);
        if (lock == null) {
            throw new AssertionError("nobody holds a lock, but " + door + " does not get one");
        }
        lock.release();
    }

    private void open(Side side, String name) throws IOException {
        run.note(side + ": open " + name + " and close it");
        if (run.oneIn(2)) {
            side.mount()
                    .open(side.remote(name), Set.of(StandardOpenOption.READ), 0)
                    .close();
        } else {
            Files.newByteChannel(side.path(name)).close();
        }
    }

    void syncWriters(int mount, ModelFile file) throws IOException {
        for (Door writer : file.writers(mount)) {
            sync(writer);
        }
    }

    void sync(Door root) throws IOException {
        run.note("sync " + root);
        root.sync();
        root.file().synced(root);
    }

    /** Completes and syncs all calls, then checks all files without the mounts. */
    void audit() throws Exception {
        run.note("audit");
        for (Door door : run.doors) {
            for (PendingCall call : List.copyOf(door.pending)) {
                call.await();
            }
        }
        for (ModelFile file : run.files()) {
            syncWriters(0, file);
            syncWriters(1, file);
            if (file.history().length() > MOST_REMEMBERED) {
                boolean unused = share(0, file) && share(1, file);
            }
        }
        for (Map.Entry<String, ModelFile> entry : run.names.entrySet()) {
            Optional<byte[]> content = run.pair.content(entry.getKey());
            byte[] found = content.isPresent() ? content.get() : read(run.side(), entry.getKey(), entry.getValue());
            byte[] expected = entry.getValue().content();
            int differs = Arrays.mismatch(expected, found);
            if (differs >= 0) {
                throw new AssertionError("audit: " + entry.getKey() + " (" + entry.getValue() + ") has " + found.length
                        + " octets, of " + expected.length + ", and differs at " + differs);
            }
        }
    }

    private byte[] read(Side side, String name, ModelFile file) throws IOException {
        try (RemoteFile remote = side.mount().open(side.remote(name), Set.of(StandardOpenOption.READ), 0)) {
            file.seen(side.number());
            ByteBuffer all = ByteBuffer.allocate(ModelFile.MOST_OCTETS);
            int read = remote.read(all, 0);
            return Arrays.copyOf(all.array(), Math.max(0, read));
        }
    }
}
