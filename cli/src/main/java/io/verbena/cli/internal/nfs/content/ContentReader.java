package io.verbena.cli.internal.nfs.content;

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

/** Reads a file at any position, and continues with the successor of a replaced mount. Belongs to one thread. */
final class ContentReader implements Closeable {
    private final MountedPath path;
    private Mount mount;
    private RemoteFile file;

    ContentReader(MountedPath path) {
        this.path = path;
        this.mount = path.mount();
    }

    /** Returns the attributes of the file that is at the path now, which can be another file than the open one. */
    FileAttributes attributes() throws IOException {
        return call(() -> mount.attributes(path.path(), true));
    }

    /**
     * Fills the buffer up to the end of the file.
     *
     * @return the number of octets read, or -1 at the end of the file
     */
    int read(ByteBuffer destination, long position) throws IOException {
        return call(() -> {
            destination.clear();
            if (file == null) {
                file = mount.open(path.path(), Set.of(StandardOpenOption.READ), 0);
            }
            return file.read(destination, position);
        });
    }

    /** Closes the file. The next read opens the file that is at the path then. */
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
                    file = null; // the file has ended with its mount
                }
            }
        });
    }
}
