package io.verbena.rpcrdma.dispatcher.internal;

import io.verbena.rpcrdma.ReadList;
import io.verbena.verbs.RdmaConnection;
import io.verbena.verbs.RdmaException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * Pulls what the Read lists of calls name, by RDMA Read into pooled memory (RFC 8166 section 3.4.5). However many calls
 * a peer sends, what they pull and hold at once stays within a budget; the calls beyond wait their turn. Thread safe.
 */
final class ArgumentPuller {
    private final Connection connection;
    private final RegisteredPool pool;
    private final SendQueue queue;
    private final long budget;
    private final int maxRead;
    private final ArrayDeque<Request> waiting = new ArrayDeque<>();
    private long held;

    ArgumentPuller(Connection connection, RegisteredPool pool, SendQueue queue) {
        this.connection = connection;
        this.pool = pool;
        this.queue = queue;
        budget = connection.environment().tuning().pullBudget();
        maxRead = connection.environment().tuning().maxRead();
    }

    /** Plans what a call's Read list takes; false for a list that must not be pulled. */
    boolean plan(Request request, long maxOctets) {
        return request.plan.make(request.header, maxOctets, maxRead, queue.maxCost());
    }

    /** Pulls what is planned, now or when others have given back what they hold. */
    void pull(Request request) {
        synchronized (this) {
            if (!waiting.isEmpty() || !hasRoom(request)) {
                waiting.add(request);
                return;
            }
            held += request.plan.total();
        }
        start(request);
    }

    /** Whether the budget allows for a request; one alone is always allowed. */
    private boolean hasRoom(Request request) {
        return held == 0 || held + request.plan.total() <= budget;
    }

    private void start(Request request) {
        try {
            request.pulled = pool.take(request.plan.total());
            request.readsLeft = request.plan.reads();
            queue.submit(request, request.plan.reads());
        } catch (RdmaException e) {
            connection.end(e);
        }
    }

    /** Posts the RDMA Reads of a request's Read list. */
    void post(Request request, RdmaConnection rdma) throws RdmaException {
        ReadList list = request.header.readList();
        int posted = 0;
        for (int i = 0; i < list.size(); i++) {
            for (long at = 0; at < list.length(i); at += maxRead) {
                posted++;
                rdma.postRead(
                        request.index,
                        request.pulled.region(),
                        request.plan.target(i) + at,
                        (int) Math.min(maxRead, list.length(i) - at),
                        list.handle(i),
                        list.offset(i) + at,
                        posted < request.plan.reads() ? RdmaConnection.MORE : 0);
            }
        }
    }

    /** A read is complete; true where it was the request's last. Receive thread. */
    boolean completed(Request request) {
        request.readsLeft--;
        if (request.readsLeft > 0) {
            return false;
        }
        queue.completed(request.plan.reads());
        connection.counters().add(Counter.RDMA_READ_BYTES, request.plan.total());
        connection.counters().add(Counter.READ_CHUNK_BYTES, request.plan.total());
        return true;
    }

    /** A request has given back what it pulled: others may start. */
    void released(Request request) {
        List<Request> next = new ArrayList<>(1);
        synchronized (this) {
            held -= request.plan.total();
            while (!waiting.isEmpty() && hasRoom(waiting.peek())) {
                held += waiting.peek().plan.total();
                next.add(waiting.poll());
            }
        }
        next.forEach(this::start);
    }

    /** The connection has ended: nothing more is pulled. */
    synchronized void close() {
        waiting.clear();
    }
}
