/**
 * Open files as streams of Hadoop: positioned and vectored reads, read policies, writes that are flushed and synced.
 *
 * <p>May use the failures of {@code tree}, and of the other modules {@code io.verbena.nfs}.
 *
 * <p>Runs on the thread that calls; ranges of vectored reads complete on threads of the common pool.
 */
package io.verbena.hadoop.internal.stream;
