/**
 * Mounts that file systems of one process share, and the users and names behind them.
 *
 * <p>May use the settings, and of the other modules {@code io.verbena.nfs} and {@code io.verbena.dirfd}.
 *
 * <p>Has no thread of its own. Any thread may call.
 */
package io.verbena.hadoop.internal.mount;
