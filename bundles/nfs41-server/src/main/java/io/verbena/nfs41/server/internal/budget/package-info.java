/**
 * The heap that clients' state may take of the process, and which client, principal and address holds how much of it.
 * Uses no other room of the server.
 * Any thread; its lock is the last that is taken, and it is held for no call to another room.
 */
package io.verbena.nfs41.server.internal.budget;
