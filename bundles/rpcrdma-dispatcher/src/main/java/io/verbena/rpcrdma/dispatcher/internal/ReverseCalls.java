package io.verbena.rpcrdma.dispatcher.internal;

import io.verbena.rpc.ReplyDecoder;
import io.verbena.rpc.RpcCall;
import io.verbena.rpc.RpcException;
import io.verbena.rpc.TransportLostException;
import io.verbena.verbs.RdmaException;
import java.util.concurrent.CompletableFuture;

/**
 * The calls that an accepting end makes by one connection (RFC 8167). Their requester and its memory are made with the
 * first of them, since most peers are never called. It lives as long as the connection: nothing is sent twice, since
 * this end cannot connect again (section 5.4). Thread safe.
 */
final class ReverseCalls implements Requester.Owner {
    private final long id;
    private final String peer;
    private Connection connection;
    private Requester requester;
    private RpcException ended;

    ReverseCalls(Connection connection, String peer) {
        this.connection = connection;
        this.id = connection.id();
        this.peer = peer;
    }

    <T> CompletableFuture<T> call(RpcCall call, ReplyDecoder<T> decoder) {
        Requester calls;
        try {
            calls = requester();
        } catch (RpcException e) {
            return CompletableFuture.failedFuture(e);
        }
        return calls.call(call, decoder);
    }

    private synchronized Requester requester() throws RpcException {
        if (ended != null) {
            throw ended;
        }
        if (requester == null) {
            requester = open();
        }
        return requester;
    }

    private Requester open() throws RpcException {
        if (connection.framing() == null) {
            throw new TransportLostException(
                    "no call can be made to " + peer + " before it has sent a message: its version of RPC-over-RDMA"
                            + " is not known (RFC 8167 5.1)",
                    null);
        }
        Environment environment = connection.environment();
        Counters counters = connection.counters().reverse();
        Requester calls = new Requester(environment.tuning().reverseCredits(), this, environment, counters);
        try {
            connection.openCalls(calls, connection.options().reverseChunks(), counters);
        } catch (RdmaException e) {
            throw new TransportLostException("no call can be made to " + peer + ": " + e.getMessage(), e);
        }
        Connection by = connection;
        // where it has ended, or does before it stands, the calls fail when the end is told
        by.onceEstablished(() -> {
            var unused = calls.attach(by, () -> {});
        });
        return calls;
    }

    /** The connection has ended: what is outstanding fails, and what comes later. */
    void end(Exception cause) {
        String why = cause == null ? "the peer ended it" : cause.getMessage();
        TransportLostException reason =
                new TransportLostException("lost the connection to " + peer + ": " + why, cause);
        Requester calls;
        synchronized (this) {
            ended = reason;
            calls = requester;
            requester = null;
            connection = null; // a program may keep its peer, but not the connection's memory by it
        }
        if (calls != null) {
            calls.close(reason);
        }
    }

    @Override
    public void connectionNeeded() {
        // there is none to be had from this end: what waits fails when the end is told
    }

    /** The forward direction may well be in order: the calls that wait have their time limits. */
    @Override
    public void connectionStuck(Connection stuck) {
        // nothing: see above
    }

    @Override
    public boolean isServiceMissing() {
        return false;
    }

    @Override
    public String peer() {
        return peer;
    }

    @Override
    public long connectionId() {
        return id;
    }

    @Override
    public String label() {
        return "";
    }
}
