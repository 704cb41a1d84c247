/**
 * One end of a connection: the MPA handshake, the receive thread, the orderly end.
 * Uses all below; provider stands above.
 * Handshakes block the caller's thread; then the receive thread calls the handler.
 */
package io.verbena.verbs.iwarp.internal.connection;
