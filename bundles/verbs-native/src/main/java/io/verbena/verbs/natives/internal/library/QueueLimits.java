package io.verbena.verbs.natives.internal.library;

/**
 * The limits of a queue pair ({@code ibv_qp_cap}).
 *
 * @param sends the work requests of the send queue
 * @param receives the work requests of the receive queue
 * @param inlineBytes the octets that a send may carry within its work request
 */
public record QueueLimits(int sends, int receives, int inlineBytes) {}
