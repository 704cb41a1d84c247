/**
 * The provider of the scheme {@code nfs+rdma}, its file systems, and what makes, copies and moves files in them.
 * Uses all rooms; nothing below uses this package.
 * The caller's thread; a file system has an executor for what must not wait on the thread that completes a call.
 */
package io.verbena.nfs.nio.internal;
