/**
 * Determines the work of a copy before anything is written. Uses the package {@code tree}. Runs on the thread that runs
 * the copy, except for classes that are documented as thread safe.
 */
package io.verbena.nfs.transfer.internal.plan;
