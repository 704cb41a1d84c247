package io.verbena.nfs.nio.internal;

import io.verbena.nfs.RemoteFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;

/**
 * Reads a file in order through the mount's channel, which reads ahead and drops what is old. Used by one thread at a
 * time, but closed by any.
 */
final class ReadAhead {
    private final OpenFile file;
    private volatile Reading reading;

    ReadAhead(OpenFile file) {
        this.file = file;
    }

    /**
     * A channel that reads ahead.
     *
     * @param via the file as it was open then
     */
    private record Reading(RemoteFile via, SeekableByteChannel channel) {}

    int read(ByteBuffer destination, long position) throws IOException {
        int start = destination.position();
        return file.call(present -> {
            SeekableByteChannel current = renewed(present);
            destination.position(start);
            current.position(position);
            return current.read(destination);
        });
    }

    private SeekableByteChannel renewed(RemoteFile present) throws IOException {
        Reading current = reading;
        if (current == null || current.via() != present) {
            close();
            current = new Reading(present, present.channel());
            reading = current;
        }
        return current.channel();
    }

    void close() throws IOException {
        Reading last = reading;
        reading = null;
        if (last != null && last.via() == file.now()) { // else it was closed with its file
            last.channel().close();
        }
    }
}
