package io.verbena.verbs.trace.capture;

import java.nio.ByteBuffer;
import java.time.Instant;

/**
 * One packet of a capture.
 *
 * @param number the number of the packet from 1 on, as analysers count frames
 * @param time the time of capture; the epoch where the file has none
 * @param linkType the type of the packet's first header ({@code LINKTYPE_} of the formats)
 * @param data the captured octets
 */
public record CapturedPacket(long number, Instant time, int linkType, ByteBuffer data) {}
