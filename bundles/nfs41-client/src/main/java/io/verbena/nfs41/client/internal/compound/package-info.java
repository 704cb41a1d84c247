/**
 * COMPOUND procedures (RFC 8881 section 16.2): encoding of requests, decoding of results, statuses as exceptions.
 * Uses util.
 * Encodes on the sender's thread, decodes on the connection's receive thread; never blocks.
 */
package io.verbena.nfs41.client.internal.compound;
