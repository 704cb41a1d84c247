package io.verbena.verbs.trace.capture;

import java.nio.ByteBuffer;
import java.time.Instant;

/**
 * One packet of a capture.
 *
 * @param number from 1 on, as analysers count frames
 * @param time when it was captured; the epoch's beginning where the file does not say
 * @param linkType what its octets begin with, by the numbers of the formats ({@code LINKTYPE_})
 * @param data what was kept of it
 */
public record CapturedPacket(long number, Instant time, int linkType, ByteBuffer data) {}
