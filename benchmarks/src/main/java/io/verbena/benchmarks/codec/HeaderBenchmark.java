package io.verbena.benchmarks.codec;

import io.verbena.rpcrdma.Framing;
import io.verbena.rpcrdma.HeaderException;
import io.verbena.rpcrdma.MessageType;
import io.verbena.rpcrdma.SegmentList;
import io.verbena.rpcrdma.TransportHeader;
import io.verbena.rpcrdma.v1.internal.VersionOneFraming;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** Version One headers in a direct buffer, as in the transport: decoding, and filling with encoding. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 4, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
public class HeaderBenchmark {
    private static final int OFFSET = 64; // a header does not begin at the start of its buffer

    /** The chunks of the header. */
    public enum Shape {
        /** No chunks: 28 octets, as in most calls and replies. */
        PLAIN,
        /** A Read chunk of one segment, as in a WRITE. */
        READ_LIST,
        /** A Write chunk of one segment, as in a READ. */
        WRITE_LIST,
        /** A Reply chunk of one segment, as in a READDIR. */
        REPLY_CHUNK,
        /** A Read chunk of two segments, two Write chunks of two segments each, and a Reply chunk of two segments. */
        ALL
    }

    @Param
    private Shape shape;

    private final Framing framing = new VersionOneFraming();
    private final TransportHeader header = new TransportHeader();
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(4096);
    private int length;
    private int xid;

    @Setup
    public void encodeOne() {
        length = framing.encode(fill(), buffer, OFFSET);
    }

    @Benchmark
    public int parse() throws HeaderException {
        return framing.decode(buffer, OFFSET, length, header);
    }

    @Benchmark
    public int build() {
        return framing.encode(fill(), buffer, OFFSET);
    }

    private TransportHeader fill() {
        header.clear().xid(xid++).credits(64).type(MessageType.MSG);
        switch (shape) {
            case PLAIN -> {}
            case READ_LIST -> header.readList().add(180, 0x1234, 65536, 0x100000000L);
            case WRITE_LIST -> segments(header.writeList().add(), 1);
            case REPLY_CHUNK -> segments(header.hasReplyChunk(true).replyChunk(), 1);
            case ALL -> {
                header.readList().add(180, 0x1234, 65536, 0x100000000L);
                header.readList().add(180, 0x1235, 65536, 0x200000000L);
                segments(header.writeList().add(), 2);
                segments(header.writeList().add(), 2);
                segments(header.hasReplyChunk(true).replyChunk(), 2);
            }
        }
        return header;
    }

    private static void segments(SegmentList chunk, int count) {
        for (int i = 0; i < count; i++) {
            chunk.add(0x4321 + i, 65536, 0x300000000L);
        }
    }
}
