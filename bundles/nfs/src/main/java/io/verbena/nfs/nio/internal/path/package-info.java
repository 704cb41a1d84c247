/**
 * Paths, their octets, patterns and links, and the tree of files as a path sees it.
 * Uses {@code mount}.
 * The caller's thread; paths are immutable, and what asks the server waits for it.
 */
package io.verbena.nfs.nio.internal.path;
