package io.verbena.cli.internal.script;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.charset.Charset;
import java.util.Optional;

/** The standard output of a script. The stream knows why it could not be written. */
public class ScriptOutput extends PrintStream {
    private final Watched watched;

    /** Creates a stream with a buffer. */
    public ScriptOutput(OutputStream to) {
        this(new Watched(to));
    }

    private ScriptOutput(Watched watched) {
        super(new BufferedOutputStream(watched), true, Charset.defaultCharset());
        this.watched = watched;
    }

    /** Returns why the output was lost; empty if it was not, or if nobody can tell. */
    public Optional<String> failure() {
        return Optional.ofNullable(watched.failure).map(IOException::getMessage);
    }

    /** Returns whether the output was lost because nobody reads it any more. */
    public boolean isUnread() {
        return failure().isPresent() && failure().equals(brokenPipe());
    }

    /** Returns the message of a write to a pipe without a reader. It is the system's, and so in the user's language. */
    private static Optional<String> brokenPipe() {
        try {
            Pipe pipe = Pipe.open();
            try (Pipe.SinkChannel sink = pipe.sink()) {
                pipe.source().close();
                sink.write(ByteBuffer.allocate(1));
            }
            return Optional.empty();
        } catch (IOException e) {
            return Optional.ofNullable(e.getMessage());
        }
    }

    /** Keeps the first failure, which a PrintStream drops. */
    private static final class Watched extends OutputStream {
        private final OutputStream to;
        private volatile IOException failure;

        Watched(OutputStream to) {
            this.to = to;
        }

        @Override
        public void write(int octet) throws IOException {
            write(new byte[] {(byte) octet}, 0, 1);
        }

        @Override
        public void write(byte[] octets, int offset, int length) throws IOException {
            try {
                to.write(octets, offset, length);
            } catch (IOException e) {
                if (failure == null) {
                    failure = e;
                }
                throw e;
            }
        }

        @Override
        public void flush() throws IOException {
            to.flush();
        }
    }
}
