/**
 * Benchmarks of the whole path, of plain TCP beside it, and of idle resources.
 *
 * <p>May use every module, internal packages included.
 *
 * <p>The main thread runs one case after the other.
 */
package io.verbena.benchmarks;
