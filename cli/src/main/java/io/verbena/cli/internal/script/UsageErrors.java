package io.verbena.cli.internal.script;

import io.verbena.cli.CommandFailure;
import io.verbena.cli.ExitStatus;
import io.verbena.cli.Text;
import io.verbena.nfs.NearestName;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.karaf.shell.api.console.Registry;
import org.apache.karaf.shell.support.CommandException;

/** What Karaf's parser of options and arguments objects to, told in one line that helps. */
final class UsageErrors {
    private static final Pattern STYLE = Pattern.compile("\u001b\\[[0-9;]*m");
    private static final Pattern COMMAND = Pattern.compile("Error executing command ([^\\s:]+):([^\\s:]+): ");
    private static final String UNDEFINED = "Undefined option: ";

    private UsageErrors() {}

    /** The failure of a statement, or a plainer one where it is the parser's. */
    static Exception explain(Registry registry, Exception failure) {
        if (failure.getClass() != CommandException.class || failure.getMessage() == null) {
            return failure;
        }
        Matcher command = COMMAND.matcher(
                STYLE.matcher(((CommandException) failure).getNiceHelp()).replaceAll(""));
        if (!command.lookingAt()) {
            return failure;
        }
        String name = command.group(1) + ":" + command.group(2);
        String message = failure.getMessage();
        String line = message.startsWith(UNDEFINED)
                ? unknown(registry, command, message.substring(UNDEFINED.length()))
                : message.substring(0, 1).toLowerCase(Locale.ROOT) + message.substring(1);
        return new CommandFailure(
                ExitStatus.USAGE, name + ": " + Text.printable(line) + " (" + name + " --help tells more)", failure);
    }

    private static String unknown(Registry registry, Matcher command, String given) {
        String option = given.replaceFirst("=.*", "");
        return "unknown option '" + option + "'"
                + NearestName.of(option, Knowledge.options(registry, command.group(1), command.group(2)))
                        .map(nearest -> ": did you mean '" + nearest + "'?")
                        .orElse(": it has none");
    }
}
