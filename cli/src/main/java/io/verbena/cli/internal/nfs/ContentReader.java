package io.verbena.cli.internal.nfs;

import io.verbena.cli.Failures;
import io.verbena.cli.internal.MountedPath;
import io.verbena.cli.internal.Mounts;
import io.verbena.nfs.FileAttributes;
import io.verbena.nfs.Mount;
import io.verbena.nfs.MountReplacedException;
import io.verbena.nfs.RemoteFile;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.StandardOpenOption;
import java.util.Set;

/** Reads a file wherever it is asked to, and on from the mount that takes the place of its own. For one thread. */
final class ContentReader implements Closeable {
    /** So often at most for one call, so that where a mount is replaced over and over it ends. */
    private static final int MAX_REPLACEMENTS = 10;

    private final MountedPath path;
    private final Mounts mounts;
    private Mount mount;
    private RemoteFile file;

    /** Something asked of the mount that there is now. */
    @FunctionalInterface
    private interface Call<T> {
        T get() throws IOException;
    }

    ContentReader(MountedPath path, Mounts mounts) {
        this.path = path;
        this.mounts = mounts;
        this.mount = path.mount();
    }

    /** Those of what is at the path now, which may be another file than the one that is open. */
    FileAttributes attributes() throws IOException, InterruptedException {
        return call(() -> mount.attributes(path.path(), true));
    }

    /** Fills the buffer from there as far as the file goes; returns the octets read, or -1 at its end. */
    int read(ByteBuffer destination, long position) throws IOException, InterruptedException {
        return call(() -> {
            destination.clear();
            if (file == null) {
                file = mount.open(path.path(), Set.of(StandardOpenOption.READ), 0);
            }
            return file.read(destination, position);
        });
    }

    /** Closes the file; the next read opens what is at the path then. */
    @Override
    public void close() throws IOException {
        RemoteFile open = file;
        file = null;
        if (open != null) {
            Failures.run(path.toString(), open::close);
        }
    }

    private <T> T call(Call<T> call) throws IOException, InterruptedException {
        for (int replacements = 0; ; replacements++) {
            try {
                return call.get();
            } catch (MountReplacedException e) {
                if (replacements == MAX_REPLACEMENTS) {
                    throw Failures.about(path.toString(), e);
                }
                file = null; // has ended with its mount
                mount = mounts.successor(mount);
            } catch (IOException e) {
                throw Failures.about(path.toString(), e);
            }
        }
    }
}
