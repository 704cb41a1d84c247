/**
 * The TCP socket of a connection: waits with a deadline, keep-alive, segment size, and what observers see of it.
 * Uses wire and settings.
 * One thread uses a socket at a time; any thread may close it.
 */
package io.verbena.verbs.iwarp.internal.tcp;
