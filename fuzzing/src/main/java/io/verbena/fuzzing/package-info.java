/**
 * A fuzzer for decoders: targets, mutations, and the checks of a decoder's promises.
 *
 * <p>Uses the JDK only, so that tests of every bundle can use it.
 *
 * <p>One watched thread makes all calls of a target.
 */
package io.verbena.fuzzing;
