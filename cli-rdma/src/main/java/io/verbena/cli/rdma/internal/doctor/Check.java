package io.verbena.cli.rdma.internal.doctor;

import java.util.function.Consumer;

/**
 * One check of an examination.
 *
 * @param name the name, which findings of a failed check have
 * @param look does the check
 */
record Check(String name, Look look) {
    /** What a check does. */
    @FunctionalInterface
    interface Look {
        /**
         * Looks, on a thread of its own, which is interrupted when the check takes too long.
         *
         * @param told receives each finding at once
         * @throws Exception if the check itself fails, which is told as a finding
         */
        void at(Consumer<Finding> told) throws Exception;
    }
}
