package io.verbena.verbs.selftest;

import io.verbena.verbs.Completion;

/**
 * The bandwidth of transfers of one size in one direction, several of them outstanding.
 *
 * @param operation RDMA Write to the other end, or RDMA Read from it
 * @param size the octets of one transfer
 * @param outstanding the most outstanding transfers
 * @param transfers the number of measured transfers
 * @param octetsPerSecond the average rate
 */
public record Bandwidth(
        Completion.Operation operation, int size, int outstanding, long transfers, double octetsPerSecond) {}
