package io.verbena.cli.internal.nfs;

import io.verbena.cli.Failures;
import io.verbena.cli.internal.MountedPath;
import io.verbena.nfs.FileAttributes;
import io.verbena.nfs.Mount;
import io.verbena.nfs.RemoteFile;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.StandardOpenOption;
import java.util.Set;

/** Reads a file wherever it is asked to, and on from the mount that takes the place of its own. For one thread. */
final class ContentReader implements Closeable {
    private final MountedPath path;
    private Mount mount;
    private RemoteFile file;

    ContentReader(MountedPath path) {
        this.path = path;
        this.mount = path.mount();
    }

    /** Those of what is at the path now, which may be another file than the one that is open. */
    FileAttributes attributes() throws IOException {
        return call(() -> mount.attributes(path.path(), true));
    }

    /** Fills the buffer from there as far as the file goes; returns the octets read, or -1 at its end. */
    int read(ByteBuffer destination, long position) throws IOException {
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

    private <T> T call(Failures.Call<T> call) throws IOException {
        return Failures.get(path.toString(), () -> {
            for (int replacements = 0; ; replacements++) {
                try {
                    return call.get();
                } catch (IOException | UncheckedIOException e) {
                    mount = path.successor(mount, e, true, replacements);
                    file = null; // has ended with its mount
                }
            }
        });
    }
}
