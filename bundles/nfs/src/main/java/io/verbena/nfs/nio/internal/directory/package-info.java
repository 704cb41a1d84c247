/**
 * Directories that are listed, watched, or opened to be forced.
 * Uses {@code path} and {@code mount}.
 * The caller's thread; a watch service has a thread of its own, from the first directory until the service is closed.
 */
package io.verbena.nfs.nio.internal.directory;
