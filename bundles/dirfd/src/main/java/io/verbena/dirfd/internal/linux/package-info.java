/**
 * Linux's system calls through jnr-ffi.
 *
 * Only this package calls native code; it uses {@code io.verbena.dirfd} and its package {@code internal}.
 *
 * Has no thread; calls block the calling thread.
 */
package io.verbena.dirfd.internal.linux;
