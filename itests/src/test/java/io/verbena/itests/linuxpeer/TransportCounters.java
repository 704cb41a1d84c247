package io.verbena.itests.linuxpeer;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The counters of the kernel's RPC-over-RDMA client in /proc/self/mountstats.
 *
 * @param connects established connections
 * @param badXids replies without a matching call
 * @param badReplies replies with invalid headers
 */
record TransportCounters(long connects, long badXids, long badReplies) {
    private static final Pattern LINE = Pattern.compile("xprt:\\s+rdma ([\\d ]+)");
    private static final int CONNECTS = 2;
    private static final int BAD_XIDS = 7;
    private static final int BAD_REPLIES = 19;

    static TransportCounters parse(String mountStatistics) {
        Matcher line = LINE.matcher(mountStatistics);
        if (!line.find()) {
            throw new AssertionError("no RDMA transport in: " + mountStatistics);
        }
        String[] numbers = line.group(1).strip().split(" +", -1);
        return new TransportCounters(
                Long.parseLong(numbers[CONNECTS]),
                Long.parseLong(numbers[BAD_XIDS]),
                Long.parseLong(numbers[BAD_REPLIES]));
    }
}
