package io.verbena.cli.internal.script;

import io.verbena.cli.Invocation;
import java.util.List;

/**
 * The options of a script.
 *
 * @param arguments the arguments of the script
 * @param keepGoing whether the script continues after a failed command
 * @param timestamps whether the start and the end of each command are reported
 * @param quiet whether commands print no notes
 * @param invocation where and how the script is called
 */
public record ScriptOptions(
        List<String> arguments, boolean keepGoing, boolean timestamps, boolean quiet, Invocation invocation) {
    public ScriptOptions {
        arguments = List.copyOf(arguments);
    }
}
