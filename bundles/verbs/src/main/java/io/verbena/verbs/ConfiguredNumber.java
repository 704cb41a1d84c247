package io.verbena.verbs;

import java.util.function.Consumer;
import java.util.function.IntSupplier;

/** Reads whole numbers of configurations, for providers and their users. An unusable number counts as not set. */
public final class ConfiguredNumber {
    private ConfiguredNumber() {}

    /**
     * Reads a number. For a value of another type, Declarative Services throws from the getter.
     *
     * @param key the name in the configuration
     * @param configured the getter of the value
     * @param least the smallest allowed number
     * @param most the largest allowed number
     * @param otherwise the default, used where the value is not a number or out of range
     * @param warning receives a line that names the key when the default is used
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
        } catch (RuntimeException e) { // the exception's class is missing without OSGi
            value = "no number";
        }
        warning.accept(
                key + " is " + value + ", but is to be from " + least + " to " + most + ": taken as " + otherwise);
        return otherwise;
    }
}
