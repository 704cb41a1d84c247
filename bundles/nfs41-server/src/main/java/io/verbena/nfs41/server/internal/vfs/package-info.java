/**
 * The exported directory: file handles, inodes, names, directories and READDIR's cookies (RFC 8881 sections 4 and
 * 18.23). Uses {@code util} and {@code attribute}, and files of this host by {@code io.verbena.dirfd} alone. The thread
 * of the request or a worker of the export; may wait for the disk.
 */
package io.verbena.nfs41.server.internal.vfs;
