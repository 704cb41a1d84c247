package io.verbena.verbs.trace.capture;

/**
 * A summary of a capture.
 *
 * @param connections the number of iWARP connections
 * @param missing the octets of these connections that the capture lacks although it has later ones
 * @param left the octets at the ends, or before the first recognized frame, that do not form a whole frame
 */
public record CaptureSummary(long packets, int connections, long missing, long left) {}
