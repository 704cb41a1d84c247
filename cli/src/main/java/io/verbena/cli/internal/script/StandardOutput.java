package io.verbena.cli.internal.script;

import java.io.FileDescriptor;
import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.InaccessibleObjectException;

/**
 * The standard output of the process that runs a script. It is for data only: the launcher gives the JVM standard error
 * as descriptor 1, and its own standard output by another number. So neither the JVM, nor a log without configuration,
 * nor a library that prints can write into the data of a script.
 */
final class StandardOutput {
    /** The system property with the number of the descriptor that the launcher passes on. */
    private static final String NUMBER = "verbena.script.out";

    private StandardOutput() {}

    /**
     * Returns the descriptor for the data of a script.
     *
     * @param first descriptor 1, which is the one for data without the launcher
     * @throws IOException if the JVM does not let this class make a descriptor of a number
     */
    static FileDescriptor descriptor(FileDescriptor first) throws IOException {
        Integer number = Integer.getInteger(NUMBER);
        if (number == null) {
            return first;
        }
        try {
            // A second opening, by a path of /proc, would have a position of its own in a file.
            Constructor<FileDescriptor> constructor = FileDescriptor.class.getDeclaredConstructor(int.class);
            constructor.setAccessible(true);
            return constructor.newInstance(number);
        } catch (ReflectiveOperationException | InaccessibleObjectException e) {
            throw new IOException(
                    "the JVM makes no descriptor of number " + number + ": it wants the option"
                            + " --add-opens java.base/java.io=ALL-UNNAMED",
                    e);
        }
    }
}
