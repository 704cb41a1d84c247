package io.verbena.rpcrdma.dispatcher.internal;

import io.verbena.rpc.RpcPeer;
import io.verbena.rpc.RpcProgram;
import io.verbena.rpc.RpcRequest;
import io.verbena.xdr.XdrReader;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;

/** A program that answers with what was asked for, and counts what it executes. */
public final class EchoProgram implements RpcProgram {
    static final int PROGRAM = 0x20000001;
    static final int VERSION = 3;

    /** No arguments, no results. */
    public static final int NULL = 0;
    /** serial, opaque stream, opaque data: answers with the length and a sum of each. */
    static final int WRITE = 1;
    /** serial, stream length, data length, seed: answers with a stream of that length and data of that length. */
    static final int READ = 2;
    /** serial, opaque stream, opaque data: answers with both. */
    static final int ECHO = 3;
    /** Fails with an exception. */
    static final int THROW = 4;
    /** Never answered. */
    static final int DROP = 5;

    static final int MAX = 8 << 20;

    final Map<Integer, AtomicInteger> executed = new ConcurrentHashMap<>();
    private final Executor executor;
    private final Set<RpcPeer> peers;

    EchoProgram() {
        this(Runnable::run);
    }

    /**
     * @param executor handles the calls
     */
    EchoProgram(Executor executor) {
        this(executor, ConcurrentHashMap.newKeySet());
    }

    /**
     * @param peers is kept filled with those that call
     */
    EchoProgram(Executor executor, Set<RpcPeer> peers) {
        this.executor = executor;
        this.peers = peers;
    }

    @Override
    public int program() {
        return PROGRAM;
    }

    @Override
    public int lowVersion() {
        return VERSION;
    }

    @Override
    public int highVersion() {
        return VERSION + 1;
    }

    @Override
    public void handle(RpcRequest request) throws Exception {
        peers.add(request.peer());
        switch (request.procedure()) {
            case NULL -> request.reply();
            case WRITE -> later(request, this::write);
            case READ -> later(request, this::read);
            case ECHO -> later(request, this::echo);
            case DROP -> request.drop();
            default -> throw new IllegalStateException("asked to fail");
        }
    }

    @Override
    public void disconnected(RpcPeer peer) {
        peers.remove(peer);
    }

    private interface Procedure {
        void run(RpcRequest request) throws Exception;
    }

    private void later(RpcRequest request, Procedure procedure) {
        executor.execute(() -> {
            try {
                procedure.run(request);
            } catch (Exception e) {
                request.fail(io.verbena.rpc.AcceptStatus.GARBAGE_ARGS);
            }
        });
    }

    private void count(int serial) {
        executed.computeIfAbsent(serial, key -> new AtomicInteger()).incrementAndGet();
    }

    private void write(RpcRequest request) throws Exception {
        XdrReader in = request.arguments();
        int serial = in.getInt();
        ByteBuffer stream = in.getOpaqueView(MAX);
        ByteBuffer data = in.getData(MAX);
        int trailer = in.getInt();
        in.requireEnd();
        count(serial);
        request.results()
                .putInt(stream.remaining())
                .putInt(sum(stream))
                .putInt(data.remaining())
                .putInt(sum(data))
                .putInt(trailer);
        request.reply();
    }

    private void read(RpcRequest request) throws Exception {
        XdrReader in = request.arguments();
        int serial = in.getInt();
        int streamLength = in.getInt();
        int dataLength = in.getInt();
        int seed = in.getInt();
        in.requireEnd();
        count(serial);
        byte[] stream = bytes(seed, streamLength);
        ByteBuffer data = request.allocate(dataLength);
        data.put(0, bytes(seed + 1, dataLength));
        request.results().putOpaque(stream).putData(data).putInt(serial);
        request.reply();
    }

    private void echo(RpcRequest request) throws Exception {
        XdrReader in = request.arguments();
        count(in.getInt());
        ByteBuffer stream = in.getOpaqueView(MAX);
        ByteBuffer data = in.getData(MAX);
        request.results().putOpaque(stream).putData(data);
        request.reply();
    }

    static byte[] bytes(int seed, int length) {
        byte[] all = new byte[length];
        new Random(seed).nextBytes(all);
        return all;
    }

    static int sum(ByteBuffer data) {
        int sum = 7;
        for (int i = data.position(); i < data.limit(); i++) {
            sum = sum * 31 + data.get(i);
        }
        return sum;
    }
}
