package io.verbena.itests.linuxpeer;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.itests.VerbenaStack;
import java.util.Map;

/** Finds the length at which a client changes from inline messages to chunks, since other code runs from there on. */
final class InlineLimit {
    private static final int HEADER = 28; // the header of RPC-over-RDMA without chunks

    private InlineLimit() {}

    /** A call that carries or requests {@code length} octets. */
    @FunctionalInterface
    interface Attempt {
        void with(int length) throws Exception;
    }

    /**
     * The greatest length whose call has no chunk.
     *
     * @param stack the stack whose first connection makes the call; no other thread uses it meanwhile
     * @param threshold the longest inline message
     */
    static int find(VerbenaStack stack, int threshold, Attempt attempt) throws Exception {
        int longest = 0;
        int beyond = threshold;
        while (beyond - longest > 1) {
            int middle = (longest + beyond) / 2;
            if (isInline(stack, attempt, middle)) {
                longest = middle;
            } else {
                beyond = middle;
            }
        }
        assertThat(longest).as("the longest that is inline").isBetween(threshold / 3, threshold - HEADER);
        return longest;
    }

    private static boolean isInline(VerbenaStack stack, Attempt attempt, int length) throws Exception {
        while (true) {
            Map<String, Long> before = counters(stack);
            attempt.with(length);
            Map<String, Long> after = counters(stack);
            // a retransmitted call counts twice
            if (after.get("retransmissions").equals(before.get("retransmissions"))) {
                return after.get("chunkedCalls").equals(before.get("chunkedCalls"));
            }
        }
    }

    private static Map<String, Long> counters(VerbenaStack stack) {
        return stack.transport().connections().get(0).counters();
    }
}
