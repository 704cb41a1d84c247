/**
 * Helpers of both implementations.
 *
 * Uses {@code io.verbena.dirfd} and {@code io.verbena.text} only.
 *
 * Stateless; any thread may call it.
 */
package io.verbena.dirfd.internal;
