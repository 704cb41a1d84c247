package io.verbena.rpcrdma;

import io.verbena.metrics.Distribution;
import java.util.Map;

/**
 * One connection of the transport, as it is now, for people to read.
 *
 * @param id a number that no other connection has had
 * @param role {@code client} or {@code server}
 * @param state {@code connected}, {@code connecting}, {@code idle} or {@code closed}
 * @param local this end's address, empty where not connected
 * @param remote the peer's address
 * @param settings what was negotiated, by name: label, provider, version, thresholds and the like
 * @param counters what has happened so far, by name: calls, replies, retransmissions, reconnects, swaps, replayed, calls
 *     with chunks; octets, as headers tell them: inlineSentBytes and inlineReceivedBytes (of Sends), readChunkBytes,
 *     writeChunkBytes and replyChunkBytes (moved by chunks of each kind), rdmaWriteBytes and rdmaReadBytes (both
 *     together); registrationsMade (of a client: memory regions opened to the peer)
 * @param gauges how things stand now, by name: creditsGranted, creditsInUse and callsWaiting of this end's calls;
 *     registrations (memory regions open to the peer)
 * @param durations how long things took, by name: of a client {@code roundTrip}, from a call's Send to its reply, and
 *     {@code waiting}, from when a call was made until it was sent for the first time, for a credit or a connection
 */
public record ConnectionStatus(
        long id,
        String role,
        String state,
        String local,
        String remote,
        Map<String, String> settings,
        Map<String, Long> counters,
        Map<String, Long> gauges,
        Map<String, Distribution> durations) {
    /** A connection of which no more is known. */
    public ConnectionStatus(
            long id,
            String role,
            String state,
            String local,
            String remote,
            Map<String, String> settings,
            Map<String, Long> counters) {
        this(id, role, state, local, remote, settings, counters, Map.of(), Map.of());
    }
}
