package io.verbena.cli.internal.resident;

import io.verbena.cli.internal.script.Scripts;
import io.verbena.text.OctetText;
import java.io.IOException;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Talks to clients: decides whether their scripts run here, and runs them. Thread safe. */
final class Reception {
    private static final Logger LOG = LoggerFactory.getLogger(Reception.class);

    /** The time in seconds in which a client has to say what it wants, and to hang up after the answer. */
    private static final long TALK_SECONDS = 20;

    /** The time in seconds that an interrupted script has to end. A process of its own has a little less. */
    private static final long END_SECONDS = 12;

    /** What is at the desk. */
    interface Instance {
        /** Ends the instance in order. */
        void end(String reason);

        /** Returns a line about the instance. */
        String status();
    }

    /**
     * What a client may expect here.
     *
     * @param key what clients have to have in common with the instance
     * @param isShared whether scripts share mounts and run at the same time, as with a directory of state
     * @param isService whether the instance stays for scripts of other keys, and when others have to run elsewhere
     */
    record Terms(String key, boolean isShared, boolean isService) {}

    private final Terms terms;
    private final Scripts scripts;
    private final Supplier<Supplier<Boolean>> isolation;
    private final Occupancy occupancy;
    private final ScheduledExecutorService timer;
    private final Instance instance;
    private final Set<HandedOver> running = ConcurrentHashMap.newKeySet();
    private final Set<Connection> connections = ConcurrentHashMap.newKeySet();

    /**
     * Creates it.
     *
     * @param isolation called before a script; what it returns is called after the script, see {@link HandedOver}
     */
    Reception(
            Terms terms,
            Scripts scripts,
            Supplier<Supplier<Boolean>> isolation,
            Occupancy occupancy,
            ScheduledExecutorService timer,
            Instance instance) {
        this.terms = terms;
        this.scripts = scripts;
        this.isolation = isolation;
        this.occupancy = occupancy;
        this.timer = timer;
        this.instance = instance;
    }

    /** Serves a client until it hangs up, on the calling thread. */
    void serve(Connection connection) {
        connections.add(connection);
        try {
            ScheduledFuture<?> patience = hangUpLater(connection);
            Optional<Frame> first = connection.read();
            if (first.isPresent()) {
                answer(first.get(), connection, patience);
            }
        } catch (IOException e) {
            LOG.debug("the connection to a client has ended", e);
        } finally {
            hangUp(connection);
            connections.remove(connection);
        }
    }

    private ScheduledFuture<?> hangUpLater(Connection connection) {
        return timer.schedule(() -> hangUp(connection), TALK_SECONDS, TimeUnit.SECONDS);
    }

    private static void hangUp(Connection connection) {
        try {
            connection.close();
        } catch (IOException e) {
            LOG.debug("the connection to a client does not close", e);
        }
    }

    private void answer(Frame first, Connection connection, ScheduledFuture<?> patience) throws IOException {
        switch (first.type()) {
            case Frame.HELLO -> {
                answer(first.content(), connection, patience);
                return;
            }
            case Frame.STOP -> {
                connection.send(text("stopped: " + instance.status()));
                instance.end("a client has asked for it");
            }
            case Frame.STATUS -> connection.send(text(instance.status()));
            default -> LOG.debug("a first message of type {}", first.type());
        }
        connection.finish();
        readToTheEnd(connection);
    }

    private static Frame text(String line) {
        return new Frame(Frame.TEXT, OctetText.encode(line));
    }

    private void answer(byte[] content, Connection connection, ScheduledFuture<?> patience) throws IOException {
        Hello hello = null;
        String reason;
        try {
            hello = Hello.of(content);
            boolean isKnown = terms.isService() || hello.key().equals(terms.key());
            reason = !isKnown
                    ? "other settings"
                    : Eligibility.isFor(hello.text(), terms.isShared()) ? null : "commands for a process of their own";
        } catch (IllegalArgumentException e) {
            LOG.debug("a script that cannot be taken", e);
            reason = String.valueOf(e.getMessage());
        }
        if (reason != null) {
            refuse(connection, reason);
        } else if (!occupancy.enter()) {
            connection.send(new Frame(Frame.COLD, OctetText.encode("busy")));
            connection.finish();
            readToTheEnd(connection);
        } else {
            run(hello, connection, patience);
        }
    }

    /** Says no. An idle instance makes room for the process that runs the script with the same directory of state. */
    private void refuse(Connection connection, String reason) throws IOException {
        boolean isLeaving = terms.isShared() && !terms.isService() && occupancy.endIfIdle(0);
        connection.send(new Frame(isLeaving ? Frame.LEAVING : Frame.COLD, OctetText.encode(reason)));
        connection.finish();
        if (isLeaving) {
            instance.end("the directory of state is wanted by a process of its own");
        }
        readToTheEnd(connection);
    }

    private void run(Hello hello, Connection connection, ScheduledFuture<?> patience) throws IOException {
        boolean hasBegun = false;
        try {
            connection.send(Frame.of(Frame.READY));
            Optional<Frame> go = connection.read();
            if (go.isEmpty() || go.get().type() != Frame.GO || !patience.cancel(false)) {
                return;
            }
            HandedOver script = new HandedOver(hello, connection, scripts, isolation.get(), new HandedOver.End() {
                @Override
                public void ended() {
                    occupancy.leave();
                }

                @Override
                public void spoiled() {
                    occupancy.end();
                    instance.end("a script has left what cannot be removed");
                }
            });
            running.add(script);
            hasBegun = true;
            script.start();
            try {
                listen(script, connection);
            } finally {
                running.remove(script);
            }
        } finally {
            if (!hasBegun) {
                occupancy.leave();
            }
        }
    }

    /** Passes on what the client says, until it hangs up. Then its script is to end. */
    private void listen(HandedOver script, Connection connection) throws IOException {
        try {
            for (Optional<Frame> next = connection.read(); next.isPresent(); next = connection.read()) {
                if (next.get().type() == Frame.SIGNAL) {
                    interrupt(script);
                } else {
                    connection.take(next.get());
                }
            }
        } finally {
            connection.lose();
            interrupt(script);
        }
    }

    private void interrupt(HandedOver script) {
        script.interrupt();
        if (script.isAlive() && !timer.isShutdown()) {
            ScheduledFuture<?> unused = timer.schedule(
                    () -> {
                        if (script.isAlive()) {
                            occupancy.end();
                            instance.end("a script does not end");
                        }
                    },
                    END_SECONDS,
                    TimeUnit.SECONDS);
        }
    }

    private static void readToTheEnd(Connection connection) throws IOException {
        Optional<Frame> next = connection.read();
        while (next.isPresent()) {
            next = connection.read();
        }
    }

    /** Ends all scripts. */
    void interruptAll() {
        running.forEach(HandedOver::interrupt);
    }

    /** Returns how many clients are there. */
    int clients() {
        return connections.size();
    }
}
