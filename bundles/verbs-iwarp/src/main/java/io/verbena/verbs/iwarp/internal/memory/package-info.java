/**
 * Registered memory: steering tags, bounds, invalidation, and the fence that invalidation waits for.
 * Uses the contracts, and the waits of the package above.
 * Any thread.
 */
package io.verbena.verbs.iwarp.internal.memory;
