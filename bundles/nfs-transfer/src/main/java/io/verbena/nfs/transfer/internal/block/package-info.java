/**
 * Moves the content of one file in blocks, and continues after the replacement of its mount. Uses the package {@code
 * tree}. Runs on the worker thread of the file. Only the limit of the rate is shared between threads.
 */
package io.verbena.nfs.transfer.internal.block;
