package io.verbena.verbs.selftest;

/**
 * The latency of messages, one at a time: half of their round-trip times, in microseconds.
 *
 * @param size the octets of one message
 * @param roundTrips the number of measured round trips
 */
public record Latency(int size, int roundTrips, double min, double median, double p99) {}
