package io.verbena.nfs41.client.internal.link;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.nfs.UnresponsiveServer;
import io.verbena.nfs41.client.internal.util.MountSettings;
import io.verbena.rpc.CallTimedOutException;
import io.verbena.rpc.LocalResourceException;
import io.verbena.rpc.TransportLostException;
import io.verbena.runtime.Runtime;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Measures for how long the server has answered no request. A silence begins with the first attempt that waits for a
 * reply, and ends with a reply to any request; an attempt that ends without a reply does not end it.
 *
 * <p>A silence bounds all requests of a soft mount together. A request that begins during a silence has the rest of the
 * major timeout since the silence began, not a major timeout of its own: the steps that follow a failed step of an
 * operation (the flush, CLOSE, a removal) do not wait as long again. After the major timeout, new requests probe the
 * server: the first has the time of {@link #PROBE}, those that begin within that time have the rest of it, and those
 * that begin within the same time after it fail at once. Thread safe.
 */
public final class ServerSilence {
    /**
     * The time of a request that begins after the major timeout; longer than the longest pause between attempts to
     * connect.
     */
    private static final Duration PROBE = Duration.ofSeconds(5);

    private final MountSettings settings;
    private final Runtime runtime;
    private final long majorTimeoutNanos;
    private final long probeNanos;

    @GuardedBy("this")
    private boolean silent;

    @GuardedBy("this")
    private long sinceNanos;

    /** Counts silences. */
    @GuardedBy("this")
    private long number;

    /** The attempts that have not ended. */
    @GuardedBy("this")
    private int underWay;

    /** Whether an attempt of this silence has ended without a reply. */
    @GuardedBy("this")
    private boolean vain;

    @GuardedBy("this")
    private boolean probed;

    @GuardedBy("this")
    private long probeSinceNanos;

    /**
     * The time bound of a request.
     *
     * @param silence the number of the silence in which the request began, or of the last one before it
     * @param endNanos when the request ends, as {@link Runtime#nanoTime} tells
     */
    public record Bound(long silence, long endNanos) {}

    public ServerSilence(MountSettings settings, Runtime runtime) {
        this.settings = settings;
        this.runtime = runtime;
        majorTimeoutNanos = settings.majorTimeout().toNanos();
        probeNanos = Math.min(PROBE.toNanos(), settings.callTimeout().toNanos());
    }

    /** An attempt begins; {@link #answered} or {@link #unanswered} ends it. */
    synchronized void asked() {
        underWay++;
        if (!silent) {
            begin();
        }
    }

    @GuardedBy("this")
    private void begin() {
        silent = true;
        vain = false;
        probed = false;
        number++;
        sinceNanos = runtime.nanoTime();
    }

    /** A reply has come. */
    synchronized void answered() {
        underWay--;
        silent = false;
        if (underWay > 0) {
            begin(); // the other attempts still wait
        }
    }

    /**
     * An attempt has ended without a reply.
     *
     * @param why the failure. A missing service or missing memory of this host tells nothing about the server
     */
    synchronized void unanswered(Throwable why) {
        underWay--;
        boolean lost = why instanceof TransportLostException && !(why instanceof LocalResourceException);
        vain |= lost || why instanceof CallTimedOutException;
        if (underWay == 0 && !vain) {
            silent = false;
        }
    }

    /** The bound of a request that begins now. It holds as long as the present silence lasts. */
    public synchronized Bound bound() {
        long now = runtime.nanoTime();
        if (!silent) {
            return new Bound(number, now + majorTimeoutNanos);
        }
        long end = sinceNanos + majorTimeoutNanos;
        if (end - now >= probeNanos) {
            return new Bound(number, end);
        }
        if (!probed || now - probeSinceNanos > 2 * probeNanos) {
            probed = true;
            probeSinceNanos = now;
        }
        return new Bound(number, probeSinceNanos + probeNanos);
    }

    /** Whether the silence in which the request began goes on. */
    public synchronized boolean isStill(Bound bound) {
        return silent && number == bound.silence();
    }

    /** How long the present silence lasts, in nanoseconds; 0 where the server is not silent. */
    public synchronized long nanos() {
        return silent ? runtime.nanoTime() - sinceNanos : 0;
    }

    /** The present silence, as users see it. */
    public synchronized Optional<UnresponsiveServer> shown() {
        if (!silent) {
            return Optional.empty();
        }
        long nanos = nanos();
        Instant since = runtime.now().minusNanos(nanos);
        return Optional.of(new UnresponsiveServer(
                settings.server(),
                since,
                settings.isSoft() ? Optional.of(since.plusNanos(majorTimeoutNanos)) : Optional.empty()));
    }

    /** The failure of a request that is not sent any more. */
    public CallTimedOutException failure() {
        return new CallTimedOutException(
                "server " + settings.server() + " has not answered anything for "
                        + TimeUnit.NANOSECONDS.toSeconds(nanos()) + " s, longer than this soft mount waits ("
                        + settings.majorTimeout().toSeconds() + " s); the request was not sent",
                false);
    }
}
