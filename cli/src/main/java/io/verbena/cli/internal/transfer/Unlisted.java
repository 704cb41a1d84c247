package io.verbena.cli.internal.transfer;

/**
 * An entry of a directory that could not be taken from it; the others are.
 *
 * @param name the last name, as it was listed
 * @param failure why, with the path
 */
record Unlisted(String name, Failure failure) {
    /** Told of them. */
    @FunctionalInterface
    interface Consumer {
        void add(String name, Exception reason);
    }
}
