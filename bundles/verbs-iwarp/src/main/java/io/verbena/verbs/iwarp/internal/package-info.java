/**
 * The software iWARP provider: RDMA over TCP sockets. This package holds the log and the waits that several packages
 * need; its packages hold the rest, from low to high: wire, settings, memory, tcp, stream, connection, provider. A
 * package uses those before it only.
 */
package io.verbena.verbs.iwarp.internal;
