/**
 * Open files: their writes in order, locks and directories. Uses the rooms {@code kernel}, {@code node} and {@code
 * mount}. The threads of requests call it, and the client's threads complete its writes.
 */
package io.verbena.fuse.internal.file;
