package io.verbena.cli.internal.script;

import java.util.List;

/**
 * How a script is run.
 *
 * @param arguments that it is given
 * @param keepGoing whether it goes on after a command that failed
 * @param timestamps whether the begin and the end of each command are told
 */
record ScriptOptions(List<String> arguments, boolean keepGoing, boolean timestamps) {
    ScriptOptions {
        arguments = List.copyOf(arguments);
    }
}
