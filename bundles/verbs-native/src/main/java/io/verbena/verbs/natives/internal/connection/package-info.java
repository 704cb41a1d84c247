/**
 * One end of a connection: the connection manager's id and events, the handshake, the receive thread, the end.
 * Uses all below; provider stands above.
 * One receive thread a connection, one thread for events a provider.
 */
package io.verbena.verbs.natives.internal.connection;
