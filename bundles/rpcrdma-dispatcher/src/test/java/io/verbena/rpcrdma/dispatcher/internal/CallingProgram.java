package io.verbena.rpcrdma.dispatcher.internal;

import io.verbena.rpc.RpcPeer;
import io.verbena.rpc.RpcProgram;
import io.verbena.rpc.RpcRequest;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A program that leaves its requests and its peers to the test: to answer, and to call back. */
final class CallingProgram implements RpcProgram {
    private final BlockingQueue<RpcRequest> requests = new LinkedBlockingQueue<>();
    private final BlockingQueue<RpcPeer> gone = new LinkedBlockingQueue<>();

    @Override
    public int program() {
        return EchoProgram.PROGRAM;
    }

    @Override
    public int lowVersion() {
        return EchoProgram.VERSION;
    }

    @Override
    public int highVersion() {
        return EchoProgram.VERSION;
    }

    @Override
    public void handle(RpcRequest request) {
        requests.add(request);
    }

    @Override
    public void disconnected(RpcPeer peer) {
        gone.add(peer);
    }

    /** The next request, which there has to be. */
    RpcRequest next() throws InterruptedException {
        return take(requests);
    }

    /** The next peer that has gone. */
    RpcPeer nextGone() throws InterruptedException {
        return take(gone);
    }

    boolean isQuiet() {
        return requests.isEmpty();
    }

    private static <T> T take(BlockingQueue<T> queue) throws InterruptedException {
        T found = queue.poll(10, TimeUnit.SECONDS);
        if (found == null) {
            throw new AssertionError("nothing came");
        }
        return found;
    }
}
