/**
 * Commands that copy: words, options, progress bars and summaries. The engine of {@code io.verbena.nfs.transfer}
 * copies.
 *
 * <p>Uses the interface of the engine, {@code internal} and {@code internal.complete}. Runs on the thread of the
 * session. A thread of the engine reports progress.
 */
package io.verbena.cli.internal.nfs.transfer;
