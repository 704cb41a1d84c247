/**
 * The contract as far as java.nio can fulfil it, for systems and processes without native code.
 *
 * Uses {@code io.verbena.dirfd} and its package {@code internal}, no native code.
 *
 * Has no thread; calls block the calling thread.
 */
package io.verbena.dirfd.internal.nio;
