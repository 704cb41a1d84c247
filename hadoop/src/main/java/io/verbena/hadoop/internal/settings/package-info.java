/**
 * The keys of a Hadoop configuration, their checks, and the version of Hadoop.
 *
 * <p>May use Hadoop's configuration and the mount options of {@code io.verbena.nfs}.
 *
 * <p>Any thread may call.
 */
package io.verbena.hadoop.internal.settings;
