package io.verbena.rpcrdma.dispatcher.internal;

import org.osgi.service.metatype.annotations.AttributeDefinition;
import org.osgi.service.metatype.annotations.ObjectClassDefinition;
import org.osgi.service.metatype.annotations.Option;

@ObjectClassDefinition(
        id = DispatcherConfiguration.PID,
        name = "Verbena RPC over RDMA",
        description = "How connections are replaced when a bundle below them is stopped, updated or refreshed. Changes"
                + " hold from the next replacement on; no connection is closed for them")
@interface DispatcherConfiguration {
    String PID = "io.verbena.rpcrdma.dispatcher";
    String RECONNECT = "reconnect";
    String NOW = "now";
    int DRAIN_MILLIS = 5000;

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
}
