/**
 * What every room of the client needs: futures, bounded waits, the mount's settings, its memory and its lifetime.
 * Uses no other room.
 * Runs on the caller's thread.
 */
package io.verbena.nfs41.client.internal.util;
