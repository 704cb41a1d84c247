package io.verbena.verbs.trace;

import java.nio.file.Path;
import java.time.Instant;

/**
 * How it stands with a trace.
 *
 * @param connections seen so far
 * @param frames written: MPA frames and FPDUs
 * @param octets of these frames
 * @param dropped the frames that came faster than they could be written
 * @param failure why nothing more is written, or null
 */
public record TraceStatus(
        Path file, Instant since, int connections, long frames, long octets, long dropped, String failure) {}
