/**
 * Copies one file to a hidden name until the copy is complete, and removes objects that block its final name. Uses the
 * packages {@code block}, {@code plan} and {@code tree}. Runs on worker threads. Several threads copy the parts of a
 * large file.
 */
package io.verbena.nfs.transfer.internal.file;
