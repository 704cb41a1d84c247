/**
 * The mount of the server under a mount of this host, also when another one replaces it. Uses {@code io.verbena.nfs}.
 * The threads of requests call it, and wait in it.
 */
package io.verbena.fuse.internal.mount;
