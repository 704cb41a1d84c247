package io.verbena.nfs41.server.internal.security;

import io.verbena.runtime.Closing;
import io.verbena.runtime.Runtime;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The users of principals, as they are known; others are looked up on threads of its own, since the host may ask a
 * service such as LDAP. Thread safe.
 */
public final class PrincipalUsers implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(PrincipalUsers.class);
    private static final int THREADS = 2;

    /** How many requests may wait for their users. */
    static final int MOST_WAITING = 256;

    private static final Duration IDLE = Duration.ofSeconds(30);
    private static final long END_SECONDS = 10;

    private final PrincipalMapping mapping;
    private final AgingCache<String, Optional<LocalUser>> known;
    private final ExecutorService threads;
    private final Runtime runtime;
    private final AtomicInteger waiting = new AtomicInteger();

    /** @param prefix of the names of the threads */
    public PrincipalUsers(PrincipalMapping mapping, String prefix, Runtime runtime) {
        this.mapping = mapping;
        this.runtime = runtime;
        this.known = new AgingCache<>(runtime);
        this.threads = runtime.newExecutor(prefix, THREADS, IDLE);
    }

    /** The user of a principal, empty for the anonymous user; null if that has to be looked up. */
    public Optional<LocalUser> known(String principal) {
        return known.get(principal);
    }

    /**
     * Looks a user up on another thread. One of the two is called, and once: here, where no thread can take it.
     *
     * @param found receives the user, empty for the anonymous user
     * @param notNow called where the host cannot tell now, or too many requests wait
     */
    public void lookUp(String principal, Consumer<Optional<LocalUser>> found, Runnable notNow) {
        if (waiting.incrementAndGet() > MOST_WAITING) {
            waiting.decrementAndGet();
            notNow.run();
            return;
        }
        try {
            threads.execute(() -> {
                waiting.decrementAndGet();
                lookUpHere(principal, found, notNow);
            });
        } catch (Throwable e) { // the export is being closed, or there is no thread
            waiting.decrementAndGet();
            LOG.debug("The user of a principal cannot be looked up", e);
            notNow.run();
        }
    }

    private void lookUpHere(String principal, Consumer<Optional<LocalUser>> found, Runnable notNow) {
        Optional<LocalUser> user;
        try {
            user = known.get(principal); // of the request before it
            if (user == null) {
                user = mapping.user(principal);
                known.put(principal, user, user.isPresent());
            }
        } catch (IOException e) {
            LOG.warn("The user of {} cannot be looked up now: {}", principal, e.getMessage());
            notNow.run();
            return;
        } catch (Throwable e) { // of native code, or for want of memory
            LOG.error("The user of {} cannot be looked up", principal, e);
            notNow.run();
            return;
        }
        found.accept(user);
    }

    /** Ends the threads; requests that wait are answered before. */
    @Override
    public void close() {
        threads.shutdown();
        boolean unused = Closing.awaitEnd(runtime, threads, runtime.nanoTime() + TimeUnit.SECONDS.toNanos(END_SECONDS));
    }
}
