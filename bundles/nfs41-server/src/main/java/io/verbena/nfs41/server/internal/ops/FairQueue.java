package io.verbena.nfs41.server.internal.ops;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.nfs41.server.internal.budget.PeerHost;
import io.verbena.nfs41.server.internal.util.FailureLog;
import io.verbena.rpc.RpcPeer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The tasks that wait for a worker. Hosts take turns, and so do the connections of a host, so that a peer with many
 * requests delays only its own requests. No task runs while the lock is held. Thread safe.
 */
final class FairQueue {
    private static final Logger LOG = LoggerFactory.getLogger(FairQueue.class);

    /** How many tasks of a host may wait when a further one is offered. */
    static final int MAX_WAITING = 4096;

    private final Executor workers;
    private final int most;

    @GuardedBy("this")
    private final Turns<Object, Host> hosts = new Turns<>();

    @GuardedBy("this")
    private int running;

    /** @param most how many tasks the workers have at a time; more would delay the other work of the workers */
    FairQueue(Executor workers, int most) {
        this.workers = workers;
        this.most = most;
    }

    /** The waiting tasks of one host. Guarded by the queue, to which it has no reference. */
    private static final class Host {
        private final Turns<Long, Deque<Runnable>> connections = new Turns<>();
        private int waiting;

        private void add(long connection, Runnable task) {
            Deque<Runnable> tasks = connections.get(connection);
            if (tasks == null) {
                Deque<Runnable> first = new ArrayDeque<>(2);
                first.add(task);
                connections.add(connection, first);
            } else {
                tasks.add(task);
            }
            waiting++;
        }

        private Runnable take() {
            Deque<Runnable> tasks = connections.first();
            Runnable task = tasks.remove();
            connections.next(tasks.isEmpty());
            waiting--;
            return task;
        }

        private boolean remove(long connection, Runnable task) {
            Deque<Runnable> tasks = connections.get(connection);
            if (tasks == null || !tasks.removeLastOccurrence(task)) {
                return false;
            }
            if (tasks.isEmpty()) {
                connections.remove(connection);
            }
            waiting--;
            return true;
        }
    }

    /**
     * Has a worker execute a task, unless too many tasks of the peer's host wait, or there is no thread for the
     * task.
     *
     * @return whether the task is executed, now or soon; if false, the task is never executed
     */
    boolean offer(RpcPeer peer, Runnable task) {
        return add(peer, task, true);
    }

    /**
     * Has a worker execute a task that continues a request, however many tasks wait. If there is no worker, executes it
     * on this thread.
     */
    void execute(RpcPeer peer, Runnable task) {
        add(peer, task, false);
    }

    private boolean add(RpcPeer peer, Runnable task, boolean mayRefuse) {
        Object key = PeerHost.of(peer.remoteAddress());
        long connection = peer.connectionId();
        synchronized (this) {
            Host host = hosts.get(key);
            if (host == null) {
                Host first = new Host();
                first.add(connection, task);
                hosts.add(key, first);
            } else if (mayRefuse && host.waiting >= MAX_WAITING) {
                return false;
            } else {
                host.add(connection, task);
            }
            if (running == most) {
                return true;
            }
            running++;
        }
        boolean taken = true;
        try {
            workers.execute(this::run);
        } catch (RejectedExecutionException e) {
            run(); // the export is being closed: this thread executes the tasks
        } catch (Throwable e) { // there is no thread
            synchronized (this) {
                if (running > 1) {
                    running--;
                    return true; // another worker takes the task, or the last that finds no thread executes it itself
                }
                taken = !mayRefuse || !remove(key, connection, task);
            }
            run(); // the waiting tasks, with those that other threads have added meanwhile
        }
        return taken;
    }

    private boolean passOn() {
        try {
            workers.execute(this::run);
            return true;
        } catch (Throwable e) {
            return false; // the export is being closed, or there is no thread: this thread goes on
        }
    }

    private void run() {
        do {
            Runnable task;
            synchronized (this) {
                if (hosts.isEmpty()) {
                    running--;
                    return;
                }
                task = take();
            }
            try {
                task.run();
            } catch (Throwable e) {
                FailureLog.error(LOG, "A task of a worker failed unexpectedly", e);
            }
        } while (!passOn());
    }

    @GuardedBy("this")
    private Runnable take() {
        Host host = hosts.first();
        Runnable task = host.take();
        hosts.next(host.waiting == 0);
        return task;
    }

    /**
     * Removes a task.
     *
     * @return whether the task was still waiting
     */
    @GuardedBy("this")
    private boolean remove(Object key, long connection, Runnable task) {
        Host host = hosts.get(key);
        if (host == null || !host.remove(connection, task)) {
            return false;
        }
        if (host.waiting == 0) {
            hosts.remove(key);
        }
        return true;
    }

    /** How many tasks wait. */
    synchronized int waiting() {
        return hosts.values().mapToInt(each -> each.waiting).sum();
    }
}
