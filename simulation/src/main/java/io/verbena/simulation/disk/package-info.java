/**
 * A file system in memory that keeps apart what programs see and what a loss of power leaves, with faults on demand.
 *
 * Uses the contracts of {@code io.verbena.dirfd} and the names of {@code io.verbena.text}, and no other package of
 * Verbena; reads no clock, makes no thread and draws no random number of its own.
 *
 * One thread at a time calls it: the one that the simulator lets run. There are no locks.
 */
package io.verbena.simulation.disk;
