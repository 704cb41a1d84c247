package io.verbena.nfs41.server.internal.session;

import io.verbena.nfs41.StateProtection;

/**
 * What EXCHANGE_ID tells of a client (RFC 8881 section 18.35.2).
 *
 * @param sequenceId for its next CREATE_SESSION
 * @param protection how its state is guarded
 */
public record KnownClient(long clientId, int sequenceId, boolean isConfirmed, StateProtection protection) {
    static KnownClient of(Client client) {
        return new KnownClient(client.id(), client.createSequenceId() + 1, client.isConfirmed(), client.protection());
    }
}
