/**
 * The operations of the protocol on the mount of the server. Uses the rooms {@code kernel}, {@code node}, {@code mount}
 * and {@code file}. The threads of requests run it.
 */
package io.verbena.fuse.internal.ops;
