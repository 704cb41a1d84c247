/**
 * The protocol of {@code /dev/fuse}, version 7.31: its numbers, structures, device and mounts. Uses jnr-ffi. The
 * receiving thread reads requests; any thread answers them.
 */
package io.verbena.fuse.internal.kernel;
