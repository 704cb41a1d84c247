/**
 * What failures of copies mean: their kinds, which of them pass by, and a source that changed meanwhile. Uses the
 * interfaces of mounts. Runs on the calling thread: the thread that runs a copy, or one of its workers.
 */
package io.verbena.nfs.transfer.internal.failure;
