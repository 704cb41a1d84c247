/**
 * The frames and headers of MPA, DDP and RDMAP, their numbers and error codes (RFC 5040, 5041, 5044, 6581).
 * Uses nothing but buffers.
 * Stateless: any thread, on buffers that are its own.
 */
package io.verbena.verbs.iwarp.internal.wire;
