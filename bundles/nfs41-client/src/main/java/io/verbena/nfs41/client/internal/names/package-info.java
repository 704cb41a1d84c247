/**
 * Paths, directories, links and attributes: LOOKUP, READDIR, CREATE, REMOVE, RENAME, GETATTR and SETATTR.
 * Uses state and the rooms below it; open files are behind {@link PendingWrites}.
 * Asynchronous, on the caller's and the receive thread; only directory listings block their caller.
 */
package io.verbena.nfs41.client.internal.names;
