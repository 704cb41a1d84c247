/**
 * The proofs of requirements by tests: the annotation, the listener that records outcomes of annotated tests, the check
 * and the report at the end of the build, and the tool that breaks each rule to see its test fail.
 *
 * Uses JUnit's platform and ArchUnit, no other module of Verbena.
 *
 * Runs in tests and in the build, on one thread.
 */
package io.verbena.conformance;
