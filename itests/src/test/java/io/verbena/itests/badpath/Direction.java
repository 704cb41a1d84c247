package io.verbena.itests.badpath;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;

/** One direction of a connection: forwards on a thread of its own. */
final class Direction implements Runnable {
    private static final int MOST_OCTETS = 16 << 10;

    private final BadPath path;
    private final BadConnection connection;
    private final Socket from;
    private final Socket to;
    private final Segments segments;
    private volatile boolean drops;
    private volatile boolean ended;

    Direction(BadPath path, BadConnection connection, Socket from, Socket to, Segments segments) {
        this.path = path;
        this.connection = connection;
        this.from = from;
        this.to = to;
        this.segments = segments;
    }

    /** From now on octets are read and not forwarded. */
    void drop() {
        drops = true;
    }

    /** Ends the output; octets that come after that are dropped. */
    void endOutput() {
        drops = true;
        try {
            to.shutdownOutput();
        } catch (IOException e) {
            return; // it has ended
        }
    }

    boolean isEnded() {
        return ended;
    }

    /** Forwards until the input ends, and then ends the output. */
    @Override
    public void run() {
        byte[] buffer = new byte[MOST_OCTETS];
        try {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int got = segments.read(in, buffer, path); got >= 0; got = segments.read(in, buffer, path)) {
                forward(out, buffer, got);
            }
            if (!drops) {
                endOutput();
            }
        } catch (IOException e) {
            connection.end(); // one side is gone: the other one must not wait for it
        } finally {
            ended = true;
            connection.ended();
        }
    }

    private void forward(OutputStream out, byte[] octets, int length) throws IOException {
        int done = 0;
        while (done < length && !drops) {
            connection.awaitStall();
            int allowed = connection.allow(length - done);
            write(out, octets, done, allowed);
            done += allowed;
            if (done < length) {
                connection.breakNow(this, octets, done);
            }
        }
    }

    private void write(OutputStream out, byte[] octets, int offset, int length) throws IOException {
        try {
            segments.write(out, octets, offset, length);
        } catch (IOException e) {
            if (!drops) {
                throw e;
            } // the other direction has ended this output
        }
    }
}
