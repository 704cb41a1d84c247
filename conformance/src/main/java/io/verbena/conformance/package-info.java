/**
 * Which test proves which requirement: the annotation, what records how annotated tests went, the check and the report
 * at the end of the build, and the tool that breaks each rule to see its test fail.
 */
package io.verbena.conformance;
