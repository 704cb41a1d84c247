package io.verbena.cli.internal.script;

import java.util.List;

/**
 * The options of a script.
 *
 * @param arguments the arguments of the script
 * @param keepGoing whether the script continues after a failed command
 * @param timestamps whether the start and the end of each command are reported
 * @param quiet whether commands print no notes
 */
record ScriptOptions(List<String> arguments, boolean keepGoing, boolean timestamps, boolean quiet) {
    ScriptOptions {
        arguments = List.copyOf(arguments);
    }
}
