/**
 * Who may use an export, before any of it is done: hosts by their addresses, users by their uids.
 *
 * Uses no other package of the server. Threads of the transport and of requests call it.
 */
package io.verbena.nfs41.server.internal.access;
