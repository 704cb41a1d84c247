/**
 * Mounts, by all ways to use them, over a TCP path that breaks, damages, holds back and cuts up what it forwards.
 *
 * <p>May use every module, and the workers of {@code io.verbena.itests.model}.
 *
 * <p>Each worker has a thread of the test. A path has a thread that accepts, and one for each direction of a
 * connection.
 */
package io.verbena.itests.badpath;
