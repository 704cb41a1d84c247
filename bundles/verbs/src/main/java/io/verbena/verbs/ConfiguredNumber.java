package io.verbena.verbs;

import java.util.function.Consumer;
import java.util.function.IntSupplier;

/** Whole numbers of configurations, for providers and what stands on them: one that is of no use is as if it were not set. */
public final class ConfiguredNumber {
    private ConfiguredNumber() {}

    /**
     * Reads one. A value of another kind is an exception of Declarative Services where it is asked for, not before.
     *
     * @param key by its name in the configuration
     * @param configured asks for it
     * @param least it may be
     * @param most it may be
     * @param otherwise what holds where it is none, or out of range
     * @param warning is told so then, in one line that names the key
     */
    public static int read(
            String key, IntSupplier configured, int least, int most, int otherwise, Consumer<String> warning) {
        String value;
        try {
            int number = configured.getAsInt();
            if (number >= least && number <= most) {
                return number;
            }
            value = Integer.toString(number);
        } catch (RuntimeException e) { // its class is not there without OSGi
            value = "no number";
        }
        warning.accept(
                key + " is " + value + ", but is to be from " + least + " to " + most + ": taken as " + otherwise);
        return otherwise;
    }
}
