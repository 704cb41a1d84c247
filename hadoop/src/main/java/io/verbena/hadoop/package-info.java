/**
 * {@code nfs+rdma://server/path} as a file system of Hadoop.
 *
 * <p>May use the packages of {@code io.verbena.nfs} and {@code io.verbena.dirfd} that are exported. No other module may
 * use it.
 *
 * <p>Has no thread of its own.
 */
package io.verbena.hadoop;
