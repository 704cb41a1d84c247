package io.verbena.verbs.natives.internal.library;

/**
 * A queue pair that was created.
 *
 * @param qp the address of its {@code ibv_qp}
 * @param granted the limits that the device has granted, none below the one that was asked for
 */
public record CreatedQueuePair(long qp, QueueLimits granted) {}
