/**
 * What opens files and counts, between the file system of Hadoop and the packages below.
 *
 * <p>May use {@code stream}, {@code tree} and {@code io.verbena.nfs}.
 *
 * <p>Runs on the thread that calls.
 */
package io.verbena.hadoop.internal;
