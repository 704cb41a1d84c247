package io.verbena.rpcrdma.dispatcher.internal.base;

import org.osgi.service.metatype.annotations.AttributeDefinition;
import org.osgi.service.metatype.annotations.ObjectClassDefinition;
import org.osgi.service.metatype.annotations.Option;

@ObjectClassDefinition(
        id = DispatcherConfiguration.PID,
        name = "Verbena RPC over RDMA",
        description = "How connections are replaced when a bundle below them is stopped, updated or refreshed, and how"
                + " long peers may take. Changes hold from the next replacement or connection on; no connection is"
                + " closed for them")
public @interface DispatcherConfiguration {
    String PID = "io.verbena.rpcrdma.dispatcher";
    String RECONNECT = "reconnect";
    String NOW = "now";
    int DRAIN_MILLIS = 5000;
    int PULL_MILLIS = 30_000;
    int REPLY_MILLIS = 60_000;
    int IDLE_MILLIS = 120_000;
    int REPLY_OCTETS = 16 << 20;

    @AttributeDefinition(
            name = "Version return",
            description = "When a connection goes back to a higher version of RPC-over-RDMA whose bundle was away, or"
                    + " to settings that need a negotiator that was: with the next reconnect or on request, or now",
            options = {
                @Option(label = "with the next reconnect", value = RECONNECT),
                @Option(label = "now", value = NOW)
            })
    String versionReturn() default RECONNECT;

    @AttributeDefinition(
            name = "Drain time-out",
            description = "Milliseconds that what is under way on a connection is waited for before it is replaced;"
                    + " calls without a reply by then are sent again")
    int drainTimeout() default DRAIN_MILLIS;

    @AttributeDefinition(
            name = "Pull time-out",
            description = "Milliseconds after which a peer that has answered none of the RDMA Reads for its calls'"
                    + " arguments loses its connection")
    int pullTimeout() default PULL_MILLIS;

    @AttributeDefinition(
            name = "Reply time-out",
            description = "Milliseconds after which a peer that has taken none of the replies to its calls loses its"
                    + " connection")
    int replyTimeout() default REPLY_MILLIS;

    @AttributeDefinition(
            name = "Idle time-out",
            description = "Milliseconds without a message after which a listener that has its most connections ends a"
                    + " connection for a new one of the same address; for one of another address it ends the one that"
                    + " is idle longest of the address with the most connections")
    int idleTimeout() default IDLE_MILLIS;

    @AttributeDefinition(
            name = "Reply bytes",
            description = "Octets that the replies of a connection hold at once, until the peer has taken them; calls"
                    + " whose replies may be long wait for room")
    int replyBytes() default REPLY_OCTETS;
}
