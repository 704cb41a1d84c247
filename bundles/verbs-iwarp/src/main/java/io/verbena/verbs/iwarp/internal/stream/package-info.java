/**
 * The stream of FPDUs: work queues, sending (Transmitter, FpduWriter) and receiving (FpduReader, DdpSegmentReceiver).
 * Uses memory, tcp, wire.
 * The receive thread receives; the thread that owns the send side sends; any thread posts.
 */
package io.verbena.verbs.iwarp.internal.stream;
