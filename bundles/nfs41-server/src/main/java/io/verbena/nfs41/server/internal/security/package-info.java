/**
 * What an export asks of its callers: kinds of security as SECINFO tells them (RFC 8881 section 2.6), the users that
 * principals of Kerberos stand for, and owners as names (section 5.9).
 *
 * Uses {@code util}, and {@code io.verbena.dirfd} for the users of the host.
 *
 * Threads of requests ask what is known; the host's users are looked up on threads that may wait.
 */
package io.verbena.nfs41.server.internal.security;
