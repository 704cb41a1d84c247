package io.verbena.verbs.trace.capture;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;

/** Reads the packets of a capture in the format pcap or pcapng, of either byte order. One thread at a time. */
public final class CaptureReader implements AutoCloseable {
    /** The reader of a format, behind the file's first word. */
    interface Format {
        CapturedPacket next() throws IOException;
    }

    private static final int BUFFER = 1 << 16;

    private final InputStream in;
    private final Format format;

    private CaptureReader(InputStream in, Format format) {
        this.in = in;
        this.format = format;
    }

    /**
     * Opens a capture.
     *
     * @param in the stream, closed by {@link #close}
     * @throws CaptureException where the file has neither format
     */
    public static CaptureReader open(InputStream in) throws IOException {
        InputStream buffered = new BufferedInputStream(in, BUFFER);
        CaptureInput input = new CaptureInput(buffered);
        ByteBuffer first = input.readOrEnd(Integer.BYTES);
        if (first == null) {
            throw new CaptureException("no capture: the file is empty");
        }
        int magic = first.getInt(0);
        if (magic == PcapngFormat.SECTION_HEADER) {
            return new CaptureReader(buffered, new PcapngFormat(input));
        }
        return new CaptureReader(buffered, PcapFormat.open(magic, input));
    }

    /**
     * The next packet, or null at the end.
     *
     * @throws CaptureException where the file is damaged or truncated; earlier packets are valid
     */
    public CapturedPacket next() throws IOException {
        return format.next();
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
