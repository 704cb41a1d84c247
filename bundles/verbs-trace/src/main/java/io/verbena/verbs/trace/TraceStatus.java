package io.verbena.verbs.trace;

import java.nio.file.Path;
import java.time.Instant;

/**
 * The status of a trace.
 *
 * @param connections the connections seen so far
 * @param frames the frames written: MPA frames and FPDUs
 * @param octets the octets of these frames
 * @param dropped the frames dropped because they came faster than they could be written
 * @param failure why the trace has stopped writing, or null
 */
public record TraceStatus(
        Path file, Instant since, int connections, long frames, long octets, long dropped, String failure) {}
