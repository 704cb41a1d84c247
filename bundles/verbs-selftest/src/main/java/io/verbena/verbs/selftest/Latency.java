package io.verbena.verbs.selftest;

/**
 * Half the round trips of messages sent back and forth, one at a time, in microseconds.
 *
 * @param size octets of a message
 * @param roundTrips how many were measured
 */
public record Latency(int size, int roundTrips, double min, double median, double p99) {}
