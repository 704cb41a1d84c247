package io.verbena.rpcrdma.dispatcher.internal.connection;

import io.verbena.rpcrdma.ConnectionSettings;
import io.verbena.rpcrdma.Framing;
import io.verbena.rpcrdma.LocalSettings;
import io.verbena.rpcrdma.dispatcher.internal.services.TransportContext;
import io.verbena.rpcrdma.dispatcher.internal.services.TransportOptions;
import java.net.InetSocketAddress;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The version of RPC-over-RDMA of one connection (draft-cel-nfsv4-rpcrdma-version-two-01 section 5), and the settings
 * that hold in it. A connecting end offers a version, whose first message may reach a peer that knows Version One only;
 * an accepting end takes the version of the first message.
 *
 * <pre>
 * state     entered by                                          messages of calls are at most
 * open      an accepting end's beginning                        none
 * offering  offer of, other with a version above One                 1024 octets
 * settled   offer of, other with Version One, accepted, take    what holds in the version
 * </pre>
 */
public final class VersionNegotiation {
    private static final int LOWEST = 1;
    /** The highest version that a specification defines. */
    private static final int HIGHEST = 2;

    private final TransportContext context;
    private final TransportOptions options;
    private final int era;
    private volatile ConnectionSettings settled = ConnectionSettings.WITHOUT_PRIVATE_DATA;
    private volatile Framing framing;
    private final Set<Integer> tried = new HashSet<>(); // numbers: a framing may be replaced meanwhile
    /** Whether this end has connected, and so chose the version. */
    private volatile boolean connecting;

    private volatile boolean offering;
    private volatile boolean sent;
    private volatile boolean answered;

    VersionNegotiation(TransportContext context, TransportOptions options) {
        this.context = context;
        this.options = options;
        this.era = context.versions().era();
    }

    /** Takes the settings that were negotiated when connecting. */
    void settle(ConnectionSettings settings) {
        settled = settings;
    }

    /** Raises the inline thresholds, from now on. Receive thread. */
    void grow(int sendThreshold, int receiveThreshold) {
        ConnectionSettings present = settings();
        settled = new ConnectionSettings(
                Math.max(present.sendThreshold(), sendThreshold),
                Math.max(present.receiveThreshold(), receiveThreshold),
                present.remoteInvalidation());
    }

    /** The version's framing, null where there is none yet. */
    public Framing framing() {
        return framing;
    }

    /** Why it is that version, for people to read. */
    String reason() {
        Framing spoken = framing;
        if (spoken == null) {
            return "no call was made yet";
        }
        if (options.version() != TransportOptions.ANY_VERSION) {
            return "asked for";
        }
        int highest = context.services().framings(options).stream()
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
        connecting = true;
        framing = version;
        offering = version.version() > LOWEST;
    }

    void take(Framing version) {
        framing = version;
    }

    /** A call is about to go out. */
    public void sending() {
        if (offering) {
            sent = true;
        }
    }

    /**
     * A reply came in the version.
     *
     * @return whether that settles the version
     */
    public boolean accepted(InetSocketAddress peer) {
        boolean settles = offering;
        offering = false;
        if (!answered) {
            answered = true;
            if (connecting) { // the port of a connecting peer tells nothing about a server
                context.versions().answered(peer, framing.version());
            }
        }
        if (settles) {
            context.versions().forget(peer); // a finding of silence may come from a late answer
        }
        return settles;
    }

    /**
     * The peer does not speak the version of the first call, but versions of this range of unsigned numbers.
     *
     * @return whether another version is tried from now on, each once: the highest that both ends may know
     */
    public boolean other(int low, int high, InetSocketAddress peer) {
        if (answered) {
            return false;
        }
        tried.add(framing.version());
        Framing other = null;
        for (Framing each : context.services().framings(options)) {
            boolean inRange = Integer.compareUnsigned(low, each.version()) <= 0
                    && Integer.compareUnsigned(each.version(), high) <= 0;
            other = inRange && !tried.contains(each.version()) ? each : other;
        }
        if (other == null) {
            return false;
        }
        context.versions().learn(peer, other.version(), era);
        offer(other);
        return true;
    }

    /**
     * The peer speaks none of the versions whose framings are present, but lower ones, whose framings may come.
     *
     * @return whether that is so; it is remembered of the peer
     */
    public boolean awaitsLower(int low, int high, InetSocketAddress peer) {
        boolean lower = !answered
                && options.version() == TransportOptions.ANY_VERSION
                && Integer.compareUnsigned(low, high) <= 0
                && Integer.compareUnsigned(high, LOWEST) >= 0
                && Integer.compareUnsigned(high, framing.version()) < 0;
        if (lower) {
            context.versions().learn(peer, high, era);
        }
        return lower;
    }

    /**
     * The peer refuses the version, and names versions of this range of unsigned numbers that it speaks.
     *
     * @return whether a framing is gone for now, as while its bundle is replaced: that of the refused version on the
     *     peer, which has spoken the version before and names others that exist, or that of a version of the range here
     */
    public boolean awaitsFraming(int low, int high, InetSocketAddress peer) {
        if (answered || context.versions().spoken(peer).contains(framing.version())) {
            return Integer.compareUnsigned(low, HIGHEST) <= 0 && Integer.compareUnsigned(high, LOWEST) >= 0;
        }
        List<Integer> here = context.services().framings(options).stream()
                .map(Framing::version)
                .toList();
        return options.version() == TransportOptions.ANY_VERSION
                && context.versions().spoken(peer).stream()
                        .anyMatch(version -> !here.contains(version)
                                && Integer.compareUnsigned(low, version) <= 0
                                && Integer.compareUnsigned(version, high) <= 0);
    }

    /**
     * A call was not answered. Where the version was still offered, the peer perhaps drops messages of that version.
     */
    void unanswered(InetSocketAddress peer) {
        if (offering && sent) {
            context.versions().suspect(peer, framing.version() - 1, era);
        }
    }

    /** The connection has ended. */
    void ended(InetSocketAddress peer) {
        if (answered) {
            context.versions().confirm(peer);
        }
    }

    /** Whether a threshold may still grow. */
    public boolean mayGrow() {
        return framing != null && framing.version() > LOWEST;
    }

    /** The settings that hold in the version. */
    public ConnectionSettings settings() {
        Framing present = framing;
        return present == null ? settled : settled.atLeast(present.defaultInlineThreshold());
    }

    /** The settings that hold for calls that are sent now. */
    public ConnectionSettings forCalls() {
        return offering ? settled.atMost(LocalSettings.MIN_SIZE) : settings();
    }
}
