/**
 * Names, attributes and listings of a mount, as Hadoop has them: its statuses, exceptions and rules of rename.
 *
 * <p>May use the names of {@code mount}, and of the other modules {@code io.verbena.nfs}.
 *
 * <p>Runs on the thread that calls.
 */
package io.verbena.hadoop.internal.tree;
