package io.verbena.rpcrdma;

import io.verbena.metrics.Distribution;
import java.util.Map;

/**
 * The current status of one connection of the transport, for people to read.
 *
 * @param id the unique number of the connection
 * @param role {@code client} or {@code server}
 * @param state {@code connected}, {@code connecting}, {@code idle} or {@code closed}
 * @param local this end's address, empty where not connected
 * @param remote the peer's address
 * @param settings the negotiated settings by name: label, provider, version, thresholds and others
 * @param counters totals by name: calls, replies, retransmissions, reconnects, swaps, replayed, calls with chunks;
 *     octets according to the headers: inlineSentBytes and inlineReceivedBytes (of Sends), readChunkBytes,
 *     writeChunkBytes and replyChunkBytes (moved by chunks of each kind), rdmaWriteBytes and rdmaReadBytes (by RDMA
 *     Writes and RDMA Reads, for all kinds of chunks); registrationsMade (of a client: memory regions opened to the
 *     peer); postponed (of a server: calls that waited for room for their replies)
 * @param gauges current values by name: creditsGranted, creditsInUse and callsWaiting of this end's calls;
 *     registrations (memory regions open to the peer); heldBytes (of a server: memory of arguments read from the peer,
 *     and of replies that the peer has not taken)
 * @param durations distributions by name: for a client {@code roundTrip}, the time from a call's Send to its reply, and
 *     {@code waiting}, the time that a call waited for a credit or a connection before it was first sent
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
    /** A connection without totals, values and distributions. */
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
