/**
 * The objects that the kernel knows: their numbers, names and identities. Uses the room {@code kernel}. The threads of
 * requests call it.
 */
package io.verbena.fuse.internal.node;
