package io.verbena.verbs.trace.capture;

/**
 * What was read of a capture.
 *
 * @param connections of iWARP
 * @param missing octets of these that the capture lacks although later ones are there
 * @param left octets at the ends, or before the first frame that could be told, that make no whole frame
 */
public record CaptureSummary(long packets, int connections, long missing, long left) {}
