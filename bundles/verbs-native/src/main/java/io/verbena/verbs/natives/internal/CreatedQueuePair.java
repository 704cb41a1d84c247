package io.verbena.verbs.natives.internal;

/**
 * A queue pair.
 *
 * @param qp its {@code ibv_qp}
 * @param granted what the device has made it for, of which nothing is less than what was asked for
 */
record CreatedQueuePair(long qp, QueueLimits granted) {}
