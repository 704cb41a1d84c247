/**
 * Futures that go on without losing what is thrown.
 * Uses no other room of the server.
 * Whatever thread completes the future.
 */
package io.verbena.nfs41.server.internal.async;
