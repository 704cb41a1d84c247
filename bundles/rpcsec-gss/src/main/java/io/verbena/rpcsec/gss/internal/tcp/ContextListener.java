package io.verbena.rpcsec.gss.internal.tcp;

import io.verbena.rpc.RpcProgram;
import io.verbena.runtime.Closing;
import io.verbena.runtime.Runtime;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Listens on a TCP port for small RPC calls, one at a time of each connection. One thread serves all connections.
 * Bounds: the connections, the octets of a call, and the time that a caller has to bring one and to take its reply.
 * Where there are too many connections, the oldest one of the host with most of them is closed. Thread safe.
 */
public final class ContextListener implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ContextListener.class);

    static final int MOST_CONNECTIONS = 64;

    /** How long a caller has to bring its next call, and to take a reply. */
    static final Duration PATIENCE = Duration.ofSeconds(10);

    private static final Duration END = Duration.ofSeconds(5);

    /** How long no connection is taken after taking one has failed, for example for want of descriptors. */
    private static final Duration PAUSE = Duration.ofSeconds(1);

    private final RpcProgram program;
    private final Runtime runtime;
    private final Selector selector;
    private final ServerSocketChannel server;
    private final SelectionKey accepts;
    private final Thread thread;
    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final Set<ContextConnection> connections = new LinkedHashSet<>(); // of the thread
    private volatile boolean closed;
    private long pausedUntil; // of the thread

    /**
     * Listens.
     *
     * @throws IOException where the address is of another host, or its port in use
     */
    public ContextListener(InetSocketAddress local, RpcProgram program, Runtime runtime) throws IOException {
        this.program = program;
        this.runtime = runtime;
        this.selector = Selector.open();
        try {
            this.server = ServerSocketChannel.open();
            try {
                server.bind(local, MOST_CONNECTIONS);
                server.configureBlocking(false);
                this.accepts = server.register(selector, SelectionKey.OP_ACCEPT);
                this.thread = runtime.threads("rpcsec-gss-tcp").newThread(this::serve);
                thread.start();
            } catch (Throwable e) {
                server.close();
                throw e;
            }
        } catch (Throwable e) {
            selector.close();
            throw e;
        }
    }

    /** The address that is listened at. */
    public InetSocketAddress localAddress() throws IOException {
        return (InetSocketAddress) server.getLocalAddress();
    }

    RpcProgram program() {
        return program;
    }

    long nanoTime() {
        return runtime.nanoTime();
    }

    /** Has the thread do something. */
    void run(Runnable task) {
        tasks.add(task);
        selector.wakeup();
    }

    private void serve() {
        while (!closed) {
            try {
                serveOnce();
            } catch (Throwable e) { // for want of memory, for example: the next turn is tried
                tell(e);
            }
        }
        List.copyOf(connections).forEach(this::end);
        quietly(server);
        quietly(selector);
    }

    private void tell(Throwable failure) {
        try {
            LOG.warn("serving {} over TCP failed", server, failure);
        } catch (Throwable e) {
            // there is no memory to tell it: the thread goes on all the same
        }
    }

    private void serveOnce() throws IOException {
        selector.select(Math.max(1, TimeUnit.NANOSECONDS.toMillis(nextDeadline() - runtime.nanoTime())));
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            task.run();
        }
        for (SelectionKey key : selector.selectedKeys()) {
            if (key == accepts) {
                accept();
            } else if (key.attachment() instanceof ContextConnection connection && !connection.transfer()) {
                end(connection);
            }
        }
        selector.selectedKeys().clear();
        long now = runtime.nanoTime();
        for (ContextConnection each : List.copyOf(connections)) {
            if (now - each.deadline() >= 0) {
                end(each);
            }
        }
        if (accepts.interestOps() == 0 && now - pausedUntil >= 0) {
            accepts.interestOps(SelectionKey.OP_ACCEPT);
        }
    }

    private long nextDeadline() {
        long now = runtime.nanoTime();
        long next = now + PATIENCE.toNanos();
        for (ContextConnection each : connections) {
            next = each.deadline() - next < 0 ? each.deadline() : next;
        }
        return accepts.interestOps() == 0 && pausedUntil - next < 0 ? pausedUntil : next;
    }

    private void accept() {
        SocketChannel taken = null;
        try {
            taken = server.accept();
            if (taken == null) {
                return;
            }
            SocketAddress peer = taken.getRemoteAddress();
            if (!program.admits(peer)) {
                LOG.debug("{} may not connect", peer);
                taken.close();
                return;
            }
            makeRoom();
            taken.configureBlocking(false);
            SelectionKey key = taken.register(selector, SelectionKey.OP_READ);
            ContextConnection made = new ContextConnection(this, taken, (InetSocketAddress) peer, key);
            key.attach(made);
            connections.add(made);
        } catch (Throwable e) {
            LOG.debug("a connection could not be taken", e);
            quietly(taken);
            pausedUntil = runtime.nanoTime() + PAUSE.toNanos();
            accepts.interestOps(0);
        }
    }

    private void makeRoom() {
        if (connections.size() < MOST_CONNECTIONS) {
            return;
        }
        List<ContextConnection> most = new ArrayList<>();
        for (ContextConnection each : connections) {
            List<ContextConnection> ofHost = connections.stream()
                    .filter(other -> other.host().equals(each.host()))
                    .toList();
            most = ofHost.size() > most.size() ? ofHost : most;
        }
        end(most.get(0));
    }

    void end(ContextConnection ended) {
        connections.remove(ended);
        quietly(ended.channel());
    }

    private static void quietly(AutoCloseable closed) {
        try {
            if (closed != null) {
                closed.close();
            }
        } catch (Throwable e) { // the others are closed all the same
            LOG.debug("{} could not be closed", closed, e);
        }
    }

    /** Ends all connections. When this returns, the port is free. */
    @Override
    public void close() {
        closed = true;
        selector.wakeup();
        boolean unused = Closing.awaitEnd(runtime, thread, runtime.nanoTime() + END.toNanos());
    }
}
