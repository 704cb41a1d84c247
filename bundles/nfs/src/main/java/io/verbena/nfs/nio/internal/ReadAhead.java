package io.verbena.nfs.nio.internal;

import io.verbena.nfs.RemoteFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;

/**
 * Reads a file in order through the mount's channel, which reads ahead; anew where this process has written to the file
 * since. Used by one thread at a time.
 */
final class ReadAhead {
    private final OpenFile file;
    private RemoteFile via;
    private SeekableByteChannel channel;
    private long version;

    ReadAhead(OpenFile file) {
        this.file = file;
    }

    int read(ByteBuffer destination, long position) throws IOException {
        int start = destination.position();
        return file.call(present -> {
            boolean unused = file.shared().flush();
            renew(present);
            destination.position(start);
            channel.position(position);
            return channel.read(destination);
        });
    }

    private void renew(RemoteFile present) throws IOException {
        long now = file.shared().version();
        if (channel == null || via != present || version != now) {
            if (via == present) {
                close();
            }
            channel = present.channel();
            via = present;
            version = now;
        }
    }

    void close() throws IOException {
        SeekableByteChannel open = channel;
        channel = null;
        if (open != null && via == file.now()) {
            open.close();
        }
    }
}
