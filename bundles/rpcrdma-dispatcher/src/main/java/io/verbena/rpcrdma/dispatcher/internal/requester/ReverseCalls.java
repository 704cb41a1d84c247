package io.verbena.rpcrdma.dispatcher.internal.requester;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.rpc.ReplyDecoder;
import io.verbena.rpc.RpcCall;
import io.verbena.rpc.RpcException;
import io.verbena.rpc.TransportLostException;
import io.verbena.rpcrdma.dispatcher.internal.base.Counters;
import io.verbena.rpcrdma.dispatcher.internal.connection.Connection;
import io.verbena.rpcrdma.dispatcher.internal.services.TransportContext;
import io.verbena.verbs.RdmaException;
import java.util.concurrent.CompletableFuture;

/**
 * The calls that an accepting end makes by one connection (RFC 8167). Their requester and its memory are made with the
 * first call, since most peers are never called. It lives as long as the connection: no call is sent twice, since this
 * end cannot connect again (section 5.4). Thread safe.
 */
public final class ReverseCalls implements RequesterOwner {
    private final long id;
    private final String peer;

    @GuardedBy("this")
    private Connection connection;

    @GuardedBy("this")
    private Requester requester;

    @GuardedBy("this")
    private RpcException ended;

    public ReverseCalls(Connection connection, String peer) {
        this.connection = connection;
        this.id = connection.id();
        this.peer = peer;
    }

    public <T> CompletableFuture<T> call(RpcCall call, ReplyDecoder<T> decoder) {
        Requester calls;
        try {
            calls = requester();
        } catch (Throwable e) {
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

    @GuardedBy("this")
    private Requester open() throws RpcException {
        if (connection.framing() == null) {
            throw new TransportLostException(
                    "no call can be made to " + peer + " before it has sent a message: its version of RPC-over-RDMA"
                            + " is not known (RFC 8167 5.1)",
                    null);
        }
        TransportContext context = connection.context();
        Counters counters = connection.counters().reverse();
        Requester calls = new Requester(
                context.limits().reverseCredits(),
                this,
                context,
                connection.memory().share(),
                counters);
        try {
            connection.calls(new ConnectionCalls(
                    connection, calls, calls.requested(), connection.options().reverseChunks(), counters));
        } catch (RdmaException e) {
            throw new TransportLostException("no call can be made to " + peer + ": " + e.getMessage(), e);
        }
        Connection by = connection;
        // where the connection has ended, or ends before it stands, its end fails the calls
        by.activity().onceEstablished(() -> {
            var unused = calls.attach(by, () -> {});
        });
        return calls;
    }

    /** The connection has ended: present and later calls fail. */
    public void end(Exception cause) {
        String why = cause == null ? "the peer ended it" : cause.getMessage();
        TransportLostException reason =
                new TransportLostException("lost the connection to " + peer + ": " + why, cause);
        Requester calls;
        synchronized (this) {
            ended = reason;
            calls = requester;
            requester = null;
            connection =
                    null; // a program may keep its peer, which must not keep the memory of the connection reachable
        }
        if (calls != null) {
            calls.close(reason);
        }
    }

    @Override
    public void connectionNeeded() {
        // this end cannot connect: the end of the connection fails the calls that wait
    }

    /**
     * The forward direction may still make progress, so that the connection is kept: the calls that wait have their
     * time limits.
     */
    @Override
    public void connectionStuck(Connection stuck) {
        // nothing to do
    }

    @Override
    public boolean isServiceMissing() {
        return false;
    }

    @Override
    public long serviceNanos() {
        return 0;
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
