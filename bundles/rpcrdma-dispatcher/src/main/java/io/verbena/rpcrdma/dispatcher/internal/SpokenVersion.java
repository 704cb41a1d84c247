package io.verbena.rpcrdma.dispatcher.internal;

import io.verbena.rpcrdma.ConnectionSettings;
import io.verbena.rpcrdma.Framing;
import io.verbena.rpcrdma.LocalSettings;
import java.net.InetSocketAddress;
import java.util.HashSet;
import java.util.Set;

/**
 * The version that is spoken on one connection (draft-cel-nfsv4-rpcrdma-version-two-01 section 5), and what holds in it. A connecting end
 * offers one, and whoever gets the first message may know Version One only; an accepting end takes that of the first
 * message.
 *
 * <pre>
 * state     entered by                                          messages of calls are at most
 * open      an accepting end's beginning                        none
 * offering  offer of, other with a version above One                 1024 octets
 * settled   offer of, other with Version One, accepted, take    what holds in the version
 * </pre>
 */
final class SpokenVersion {
    private static final int LOWEST = 1;

    private final Environment environment;
    private final TransportOptions options;
    private final int era;
    private volatile ConnectionSettings settled = ConnectionSettings.DEFAULT;
    private volatile Framing framing;
    private final Set<Framing> tried = new HashSet<>();
    private volatile boolean offering;
    private volatile boolean sent;
    private volatile boolean answered;

    SpokenVersion(Environment environment, TransportOptions options) {
        this.environment = environment;
        this.options = options;
        this.era = environment.versions().era();
    }

    /** Takes what was settled when connecting. */
    void settle(ConnectionSettings settings) {
        settled = settings;
    }

    /** An inline threshold that is larger than the present one holds from now on. Receive thread. */
    void grow(int sendThreshold, int receiveThreshold) {
        ConnectionSettings present = settings();
        settled = new ConnectionSettings(
                Math.max(present.sendThreshold(), sendThreshold),
                Math.max(present.receiveThreshold(), receiveThreshold),
                present.remoteInvalidation());
    }

    /** The version's framing, null where there is none yet. */
    Framing framing() {
        return framing;
    }

    /** Why it is that one, for people to read. */
    String reason() {
        Framing spoken = framing;
        if (spoken == null) {
            return "no call was made yet";
        }
        if (options.version() != TransportOptions.ANY_VERSION) {
            return "asked for";
        }
        int highest = environment.services().framings(options).stream()
                .mapToInt(Framing::version)
                .max()
                .orElse(spoken.version());
        if (offering) {
            return "auto: offered, and not answered yet";
        }
        return spoken.version() >= highest
                ? "auto: the highest that is here, and the server speaks it"
                : "auto: the server spoke no higher when it was asked; " + highest + " is here";
    }

    void offer(Framing version) {
        framing = version;
        offering = version.version() > LOWEST;
    }

    void take(Framing version) {
        framing = version;
    }

    /** A call is about to go out. */
    void sending() {
        if (offering) {
            sent = true;
        }
    }

    /** A reply came in the version. Returns whether that settles it. */
    boolean accepted(InetSocketAddress peer) {
        boolean settles = offering;
        offering = false;
        answered = true;
        if (settles) {
            environment.versions().forget(peer); // its answer was late, perhaps
        }
        return settles;
    }

    /**
     * The peer does not speak the version of its first call, but those, unsigned, in between.
     *
     * @return whether another one is tried from now on, each once: the highest that both ends may know
     */
    boolean other(int low, int high, InetSocketAddress peer) {
        if (answered) {
            return false;
        }
        tried.add(framing);
        Framing other = null;
        for (Framing each : environment.services().framings(options)) {
            boolean inRange = Integer.compareUnsigned(low, each.version()) <= 0
                    && Integer.compareUnsigned(each.version(), high) <= 0;
            other = inRange && !tried.contains(each) ? each : other;
        }
        if (other == null) {
            return false;
        }
        environment.versions().learn(peer, other.version(), era);
        offer(other);
        return true;
    }

    /**
     * The peer speaks none of the versions that are there now, but lower ones, which may come.
     *
     * @return whether that is so; it is known of the peer from now on
     */
    boolean awaitsLower(int low, int high, InetSocketAddress peer) {
        boolean lower = !answered
                && options.version() == TransportOptions.ANY_VERSION
                && Integer.compareUnsigned(low, high) <= 0
                && Integer.compareUnsigned(high, LOWEST) >= 0
                && Integer.compareUnsigned(high, framing.version()) < 0;
        if (lower) {
            environment.versions().learn(peer, high, era);
        }
        return lower;
    }

    /** What was sent is not answered. Where that was the offer, the peer perhaps does not stand its version. */
    void unanswered(InetSocketAddress peer) {
        if (offering && sent) {
            environment.versions().suspect(peer, framing.version() - 1, era);
        }
    }

    /** The connection has ended. */
    void ended(InetSocketAddress peer) {
        if (answered) {
            environment.versions().confirm(peer);
        }
    }

    /** Whether a threshold may become larger than what holds now. */
    boolean mayGrow() {
        return framing != null && framing.version() > LOWEST;
    }

    /** What holds in the version. */
    ConnectionSettings settings() {
        Framing present = framing;
        return present == null ? settled : settled.atLeast(present.defaultInlineThreshold());
    }

    /** What holds for calls that are sent now. */
    ConnectionSettings forCalls() {
        return offering ? settled.atMost(LocalSettings.MIN_SIZE) : settings();
    }
}
