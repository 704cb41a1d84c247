package io.verbena.benchmarks.codec;

import io.verbena.rpc.AcceptStatus;
import io.verbena.rpc.Credential;
import io.verbena.rpc.OpaqueAuth;
import io.verbena.rpc.RpcCall;
import io.verbena.rpc.RpcException;
import io.verbena.rpc.RpcMessages;
import io.verbena.xdr.DataItem;
import io.verbena.xdr.XdrException;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * The XDR of an NFSv4.1 READ with SEQUENCE, PUTFH, READ and RPC headers: a client encodes the call, and decodes the
 * reply whose data the peer has placed.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 4, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
public class XdrBenchmark {
    private static final int PROGRAM = 100003;
    private static final int VERSION = 4;
    private static final int COMPOUND = 1;
    private static final int OP_PUTFH = 22;
    private static final int OP_READ = 25;
    private static final int OP_SEQUENCE = 53;
    private static final int SESSION_ID = 16;
    private static final int STATE_ID = 16;

    private final Credential credential = new Credential.Sys(0, "client.example", 1000, 1000, List.of(4, 24, 27));
    private final byte[] sessionId = new byte[SESSION_ID];
    private final byte[] fileHandle = new byte[28];
    private final byte[] stateId = new byte[STATE_ID];
    private final XdrWriter writer = new XdrWriter();
    private final RpcCall plain = new RpcCall(PROGRAM, VERSION, COMPOUND, credential);
    private final XdrReader reader = new XdrReader();
    private final ByteBuffer received = ByteBuffer.allocateDirect(4096);
    private final ByteBuffer sink = ByteBuffer.allocateDirect(65536);
    private final DataItem placed = new DataItem(DataItem.IN_ORDER, sink.duplicate());
    private int sequence;

    @Setup
    public void encodeReply() {
        XdrWriter out = new XdrWriter();
        RpcMessages.writeAccepted(out, 1, OpaqueAuth.NONE, AcceptStatus.SUCCESS);
        out.putInt(0).putString("").putInt(3);
        out.putInt(OP_SEQUENCE).putInt(0).putFixedOpaque(sessionId);
        out.putInt(1).putInt(0).putInt(63).putInt(63).putInt(0);
        out.putInt(OP_PUTFH).putInt(0);
        out.putInt(OP_READ).putInt(0).putBoolean(true).putData(sink.duplicate());
        out.copyStream(0, out.position(), received);
        received.flip();
    }

    @Benchmark
    public int encodeCall() {
        RpcCall call = new RpcCall(writer, PROGRAM, VERSION, COMPOUND, credential);
        XdrWriter out = call.arguments();
        out.putInt(0).putInt(1).putInt(3);
        out.putInt(OP_SEQUENCE).putFixedOpaque(sessionId);
        out.putInt(sequence++).putInt(0).putInt(63).putBoolean(false);
        out.putInt(OP_PUTFH).putOpaque(fileHandle);
        out.putInt(OP_READ).putFixedOpaque(stateId).putLong(65536L * sequence).putInt(65536);
        return out.position();
    }

    @Benchmark
    public int decodeReply() throws XdrException, RpcException {
        sink.clear();
        XdrReader in = reader.wrap(received);
        in.addItem(placed);
        in = RpcMessages.readReply(in, plain);
        int status = in.getInt();
        in.skipOpaque(1024);
        int results = in.getInt();
        int sum = status + results;
        sum += in.getInt() + in.getInt();
        in.skip(SESSION_ID);
        sum += in.getInt() + in.getInt() + in.getInt() + in.getInt() + in.getInt();
        sum += in.getInt() + in.getInt();
        sum += in.getInt() + in.getInt();
        sum += in.getBoolean() ? 1 : 0;
        sum += in.getDataInto(sink);
        in.requireEnd();
        return sum;
    }
}
