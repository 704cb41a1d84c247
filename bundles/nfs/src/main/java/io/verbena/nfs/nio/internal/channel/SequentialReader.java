package io.verbena.nfs.nio.internal.channel;

import io.verbena.nfs.RemoteFile;
import io.verbena.nfs.nio.internal.file.OpenFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;

/**
 * Reads a file in sequence by the mount's channel, which reads ahead. Used by one thread at a time; any thread may
 * close it.
 */
final class SequentialReader {
    private final OpenFile file;
    private volatile Reading reading;

    SequentialReader(OpenFile file) {
        this.file = file;
    }

    /**
     * A channel that reads ahead.
     *
     * @param via the file that it is a channel of
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
        if (last != null && last.via() == file.now()) { // the channel of a former file was closed with it
            last.channel().close();
        }
    }
}
