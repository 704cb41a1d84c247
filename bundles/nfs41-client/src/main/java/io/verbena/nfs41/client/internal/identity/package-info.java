/**
 * The client owner of RFC 8881 section 2.4: a name that survives the process and belongs to one mount of one host.
 * Uses no other room, but files of the state directory and their locks.
 * Runs on the thread that makes or ends a mount; blocks on local files.
 */
package io.verbena.nfs41.client.internal.identity;
