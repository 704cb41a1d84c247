package io.verbena.nfs.transfer;

import io.verbena.nfs.UnresponsiveServer;
import java.util.Optional;

/**
 * The progress of a copy at one moment. Immutable.
 *
 * @param isPlanned whether the copy has read all sources, so that the amount of work is known
 * @param files the number of complete files, including files that were already equal
 * @param plannedFiles the number of files to copy; 0 before the plan is complete
 * @param octets the octets of content that were moved or were already there, at most {@code plannedOctets} if that is
 *     known
 * @param plannedOctets the octets of content of all files to copy; 0 before the plan is complete, or if no file reports
 *     its size
 * @param failures the number of files that have failed so far
 * @param current the file that was started last, by the name that failures show; empty before the first file
 * @param unresponsiveServer the longest silence among the servers of the copy; empty if every server responds
 */
public record Progress(
        boolean isPlanned,
        long files,
        long plannedFiles,
        long octets,
        long plannedOctets,
        long failures,
        String current,
        Optional<UnresponsiveServer> unresponsiveServer) {}
