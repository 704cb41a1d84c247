/**
 * Implements the service: runs copies on worker threads, cancels them, and notifies listeners and Flight Recorder. Uses
 * all other internal packages. The calling thread of a copy waits for the workers, and reports their progress.
 */
package io.verbena.nfs.transfer.internal.engine;
