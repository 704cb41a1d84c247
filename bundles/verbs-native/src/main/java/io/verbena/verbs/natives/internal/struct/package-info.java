/**
 * C structures in native memory: the table of offsets and sizes (Layout), and arrays of work requests and completions.
 * Uses jnr-ffi's memory access.
 * One thread at a time for each structure.
 */
package io.verbena.verbs.natives.internal.struct;
