package io.verbena.nfs.transfer.internal.remote;

import io.verbena.nfs.AttributeChanges;
import io.verbena.nfs.FileAttributes;
import io.verbena.nfs.Mount;
import io.verbena.nfs.RemoteFile;
import io.verbena.nfs.UndecidedException;
import io.verbena.nfs.transfer.internal.failure.MountReplacements;
import io.verbena.nfs.transfer.internal.tree.BlockSink;
import io.verbena.nfs.transfer.internal.tree.BlockSource;
import io.verbena.nfs.transfer.internal.tree.FileVersion;
import io.verbena.runtime.Runtime;
import java.io.IOException;
import java.nio.file.OpenOption;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/** Opens files of mounts, in the directories that a copy has seen. Thread safe. */
final class RemoteOpening {
    private static final int PRIVATE_FILE = 0_600;

    private final MountSequence mount;
    private final SeenDirectories seen;
    private final Runtime runtime;

    RemoteOpening(MountSequence mount, SeenDirectories seen, Runtime runtime) {
        this.mount = mount;
        this.seen = seen;
        this.runtime = runtime;
    }

    BlockSource read(String path) throws IOException {
        return mount.call(on -> {
            RemoteFile file = open(on, path, Set.of(StandardOpenOption.READ));
            try {
                return new RemoteSource(on, file, FileVersion.of(on, file.attributes()));
            } catch (Throwable e) {
                closeAfter(file, e);
                throw e;
            }
        });
    }

    BlockSource readWhole(String path, int size) throws IOException {
        BlockSource whole = mount.call(on -> {
            FileAttributes.FileKey above = seen.aboveUnlessFollowed(on, path);
            return RemoteWholeFiles.read(on, path, above, size, runtime);
        });
        return whole == null ? read(path) : whole;
    }

    BlockSink writeWhole(String path, int mode, Instant modified, Consumer<Optional<FileVersion>> made) {
        AttributeChanges attributes = AttributeChanges.NONE.withMode(mode).withTimes(null, modified);
        return RemoteWholeFiles.write(mount, seen, path, attributes, made, runtime);
    }

    private static void closeAfter(RemoteFile file, Throwable failure) {
        try {
            file.close();
        } catch (Throwable e) {
            failure.addSuppressed(e);
        }
    }

    BlockSink write(String path, boolean isNew) throws IOException {
        if (!isNew) {
            return mount.call(on -> sink(on, open(on, path, Set.of(StandardOpenOption.WRITE))));
        }
        Set<OpenOption> options = new HashSet<>(Set.of(StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW));
        return mount.call(on -> {
            RemoteFile file = create(on, path, options);
            takeWhatIsThere(options); // it is created: another mount only opens it
            return sink(on, file);
        });
    }

    /** Opens a file in its directory as that was seen, if it was. */
    private RemoteFile open(Mount on, String path, Set<? extends OpenOption> options) throws IOException {
        FileAttributes.FileKey above = seen.aboveUnlessFollowed(on, path);
        return above == null ? on.open(path, options, PRIVATE_FILE) : on.open(path, above, options, PRIVATE_FILE);
    }

    private static BlockSink sink(Mount on, RemoteFile file) throws IOException {
        try {
            return new RemoteSink(on, file, FileVersion.of(on, file.attributes()));
        } catch (Throwable e) {
            closeAfter(file, e);
            throw e;
        }
    }

    private static void takeWhatIsThere(Set<OpenOption> options) {
        options.remove(StandardOpenOption.CREATE_NEW);
        options.add(StandardOpenOption.CREATE);
    }

    /**
     * Creates a file. If it is not known whether an earlier request created the file, an existing file is accepted.
     * Only the caller knows its name.
     */
    private RemoteFile create(Mount on, String path, Set<OpenOption> options) throws IOException {
        try {
            return open(on, path, options);
        } catch (UndecidedException e) {
            takeWhatIsThere(options);
            return open(on, path, options);
        } catch (IOException e) {
            if (MountReplacements.isUndecided(e)) {
                takeWhatIsThere(options);
            }
            throw e;
        }
    }
}
