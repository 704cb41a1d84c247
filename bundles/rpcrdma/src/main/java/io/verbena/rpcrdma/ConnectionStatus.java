package io.verbena.rpcrdma;

import java.util.Map;

/**
 * One connection of the transport, as it is now, for people to read.
 *
 * @param id a number that no other connection has had
 * @param role {@code client} or {@code server}
 * @param state {@code connected}, {@code connecting}, {@code idle} or {@code closed}
 * @param local this end's address, empty where not connected
 * @param remote the peer's address
 * @param settings what was negotiated, by name: provider, version, thresholds and the like
 * @param counters what has happened so far, by name: calls, replies, retransmissions, reconnects, swaps, replayed, chunks,
 *     registrations
 */
public record ConnectionStatus(
        long id,
        String role,
        String state,
        String local,
        String remote,
        Map<String, String> settings,
        Map<String, Long> counters) {}
