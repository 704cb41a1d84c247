package io.verbena.rpcrdma.dispatcher.internal;

import io.verbena.rpc.RpcPeer;
import io.verbena.rpc.RpcProgram;
import io.verbena.rpc.RpcRequest;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A program that leaves its requests and its peers to the test: to answer, and to call back. */
final class CallingProgram implements RpcProgram {
    private final BlockingQueue<RpcRequest> requests = new LinkedBlockingQueue<>();
    private final BlockingQueue<RpcPeer> gone = new LinkedBlockingQueue<>();

    private final Set<RpcPeer> present = ConcurrentHashMap.newKeySet();

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
        present.add(request.peer());
        requests.add(request);
    }

    @Override
    public void disconnected(RpcPeer peer) {
        present.remove(peer);
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

    /** The peer that makes a call, which is answered. */
    RpcPeer peerOf(CompletableFuture<?> call) throws Exception {
        RpcRequest request = next();
        request.reply();
        call.get(10, TimeUnit.SECONDS);
        return request.peer();
    }

    /** Whether the peer has called and has not gone. */
    boolean isPresent(RpcPeer peer) {
        return present.contains(peer);
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
