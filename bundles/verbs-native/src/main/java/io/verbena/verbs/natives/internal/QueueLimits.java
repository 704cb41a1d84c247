package io.verbena.verbs.natives.internal;

/**
 * What a queue pair is made for ({@code ibv_qp_cap}).
 *
 * @param sends work requests of the send queue
 * @param receives work requests of the receive queue
 * @param inlineBytes octets that a send may carry within its work request
 */
record QueueLimits(int sends, int receives, int inlineBytes) {}
