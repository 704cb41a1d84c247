/**
 * The server of one export and its configuration: components, options, what is kept over restarts.
 * Uses all rooms; nothing below uses this package.
 * Declarative Services' thread for the components; each export has one thread of its own for listening again.
 */
package io.verbena.nfs41.server.internal;
