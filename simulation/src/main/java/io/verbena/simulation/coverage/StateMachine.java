package io.verbena.simulation.coverage;

import java.util.List;

/**
 * A state machine of the bundles.
 *
 * @param name for people
 * @param states the class of its states, an enum
 */
public record StateMachine(String name, String states) {
    /** All machines whose states are counted. */
    public static final List<StateMachine> ALL = List.of(
            new StateMachine("session of a mount", "io.verbena.nfs.MountState"),
            new StateMachine("request in a session", "io.verbena.nfs41.client.internal.session.RequestExecutionState"),
            new StateMachine("delegation at the client", "io.verbena.nfs41.client.internal.state.Delegation$Phase"),
            new StateMachine(
                    "connection that is kept",
                    "io.verbena.rpcrdma.dispatcher.internal.endpoint.ConnectionKeeper$Phase"),
            new StateMachine(
                    "call of a requester", "io.verbena.rpcrdma.dispatcher.internal.requester.PendingCall$State"),
            new StateMachine(
                    "call at a responder", "io.verbena.rpcrdma.dispatcher.internal.responder.ReceivedCall$State"),
            new StateMachine("delegation at the server", "io.verbena.nfs41.server.internal.state.Delegation$Stage"));

    String internalName() {
        return states.replace('.', '/');
    }

    String descriptor() {
        return "L" + internalName() + ";";
    }
}
