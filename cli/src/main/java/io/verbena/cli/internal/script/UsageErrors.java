package io.verbena.cli.internal.script;

import io.verbena.cli.CommandFailure;
import io.verbena.cli.ExitStatus;
import io.verbena.cli.Text;
import io.verbena.nfs.NearestName;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.karaf.shell.api.console.Registry;
import org.apache.karaf.shell.support.CommandException;

/** Converts the errors of Karaf's parser of options and arguments, and unknown commands, to one helpful line. */
public final class UsageErrors {
    private static final Pattern STYLE = Pattern.compile("\u001b\\[[0-9;]*m");
    private static final Pattern COMMAND = Pattern.compile("Error executing command ([^\\s:]+):([^\\s:]+): ");
    private static final String UNDEFINED = "Undefined option: ";
    private static final String TOO_MANY = "Too many arguments specified";

    private UsageErrors() {}

    /** Returns the failure of a statement, or a clearer failure if Karaf's parser caused it. */
    public static Exception explain(Registry registry, Exception failure) {
        return parsers(failure).map(error -> explain(registry, error)).orElse(failure);
    }

    private static Exception explain(Registry registry, ParserError error) {
        String line = error.unknownOption()
                .map(option -> "unknown option '" + option + "'"
                        + nearestOption(registry, error, option)
                                .map(nearest -> NearestName.areAlike(option, nearest)
                                        ? ": did you mean '" + nearest + "'?"
                                        : "")
                                .orElse(": it has none"))
                .orElseGet(error::plainMessage);
        return new CommandFailure(
                ExitStatus.USAGE,
                error.command() + ": " + Text.printable(line) + " (" + error.command() + " --help tells more)",
                error.failure());
    }

    /**
     * Returns the failure of a statement with an unknown command.
     *
     * @param declared commands that bundles declare, whether or not they are registered already
     */
    static CommandFailure unknownCommand(Registry registry, Collection<String> declared, String name) {
        return new CommandFailure(
                ExitStatus.USAGE,
                "no such command: " + Text.printable(name)
                        + Knowledge.nearestCommand(registry, declared, name)
                                .filter(nearest -> NearestName.areAlike(name, Knowledge.likeGiven(name, nearest)))
                                .map(nearest -> "; did you mean '" + nearest + "'?")
                                .orElse(""));
    }

    /** Returns a similar name to suggest in addition to the message of the shell. */
    static Optional<String> suggestion(Registry registry, Exception failure) {
        // The shell does not export this type, so it is compared by name.
        if (failure.getClass().getSimpleName().equals("CommandNotFoundException")) {
            String name = failure.getMessage().replaceFirst("^Command not found: ", "");
            return Knowledge.nearestCommand(registry, List.of(), name)
                    .filter(nearest -> NearestName.areAlike(name, Knowledge.likeGiven(name, nearest)))
                    .map(nearest ->
                            "There is no command " + Text.printable(name) + ": did you mean '" + nearest + "'?");
        }
        return parsers(failure)
                .flatMap(error -> error.unknownOption().flatMap(option -> nearestOption(registry, error, option)
                        .filter(nearest -> NearestName.areAlike(option, nearest))
                        .map(nearest -> error.command() + " has no option " + Text.printable(option)
                                + ": did you mean '" + nearest + "'?")));
    }

    private static Optional<String> nearestOption(Registry registry, ParserError error, String option) {
        return NearestName.of(option, Knowledge.options(registry, error.scope(), error.name()));
    }

    private static Optional<ParserError> parsers(Exception failure) {
        if (failure.getClass() != CommandException.class || failure.getMessage() == null) {
            return Optional.empty();
        }
        Matcher command = COMMAND.matcher(
                STYLE.matcher(((CommandException) failure).getNiceHelp()).replaceAll(""));
        return command.lookingAt()
                ? Optional.of(new ParserError(command.group(1), command.group(2), failure))
                : Optional.empty();
    }

    /** An error of Karaf's parser in the options or arguments of a command. */
    private record ParserError(String scope, String name, Exception failure) {
        String command() {
            return scope + ":" + name;
        }

        Optional<String> unknownOption() {
            String message = failure.getMessage();
            return message.startsWith(UNDEFINED)
                    ? Optional.of(message.substring(UNDEFINED.length()).replaceFirst("=.*", ""))
                    : Optional.empty();
        }

        String plainMessage() {
            String message = failure.getMessage();
            String hint = message.equals(TOO_MANY) ? "; options stand before arguments" : "";
            return message.substring(0, 1).toLowerCase(Locale.ROOT) + message.substring(1) + hint;
        }
    }
}
