/**
 * Services that other bundles use without being wired to this one.
 *
 * Uses {@code io.verbena.dirfd.host}.
 *
 * Has no thread; the caller's thread runs the service.
 */
package io.verbena.dirfd.internal.service;
