/**
 * Views and attributes of files, principals, modes, and the store that holds a file (RFC 8881 section 5).
 * Uses {@code path} and {@code mount}.
 * The caller's thread, which waits for the server.
 */
package io.verbena.nfs.nio.internal.attribute;
