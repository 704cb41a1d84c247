/**
 * The C bindings: libibverbs, librdmacm and the C library, values copied from them, and their errors.
 * Uses struct and jnr-ffi.
 * Any thread. A call that fails throws NativeException, but for calls of the hot path.
 */
package io.verbena.verbs.natives.internal.library;
