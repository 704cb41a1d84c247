package io.verbena.verbs.selftest;

import io.verbena.verbs.Completion;

/**
 * Transfers of one size in one direction, several outstanding.
 *
 * @param operation RDMA Write to the other end, or RDMA Read from it
 * @param size octets of a transfer
 * @param outstanding the most posted at once
 * @param transfers how many were measured
 * @param octetsPerSecond the average
 */
public record Bandwidth(
        Completion.Operation operation, int size, int outstanding, long transfers, double octetsPerSecond) {}
