package io.verbena.rpcrdma.dispatcher.internal.requester;

/**
 * How things stand with the calls of one requester.
 *
 * @param granted the credits that there are, 0 without a connection
 * @param inUse those that calls hold, given up ones too
 * @param waiting calls that wait for one
 */
public record CreditUsage(int granted, int inUse, int waiting) {}
