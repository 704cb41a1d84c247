/**
 * Channels on open files: positions, reads, writes, transfers, maps, interrupts and closes.
 * Uses {@code file}, {@code path} and {@code mount}.
 * The caller's thread; asynchronous channels go on in the thread that completes a call, and wait in an executor.
 */
package io.verbena.nfs.nio.internal.channel;
