package io.verbena.pages;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Generates the page of all commands, {@code docs/commands.md}, from the annotations that {@code --help} uses. The
 * build runs it with the bundles of commands on the class path. Arguments: the project's root; {@code write} to update
 * the page, {@code check} if the page has to be up to date already. Ends with status 1 where it is not.
 */
public final class CommandsPage {
    private static final String HEAD =
            """
            # Commands

            What `--help` tells of each command, in the order of their names. Options stand before arguments. Every \
            command has
            `--help` besides. Made by the build of the commands' own annotations.
            """;

    private CommandsPage() {}

    /**
     * @param arguments as described above
     * @throws IOException if the page cannot be read or written
     */
    @SuppressWarnings("SystemOut") // a program
    public static void main(String[] arguments) throws IOException {
        Path page =
                Path.of(arguments[0], "docs", "commands.md").toAbsolutePath().normalize();
        String text = text(CommandClasses.onClassPath());
        if (Files.exists(page) && Files.readString(page).equals(text)) {
            return;
        }
        if (arguments[1].equals("write")) {
            Files.writeString(page, text);
            System.out.println(page + " was out of date and has been written anew: commit it");
        } else {
            System.out.println(page + " is out of date: run mvn verify and commit it");
            System.exit(1);
        }
    }

    static String text(List<CommandDoc> commands) {
        StringBuilder text = new StringBuilder(HEAD).append("\n| command | what it does |\n|---|---|\n");
        for (CommandDoc command : commands) {
            text.append("| [")
                    .append(command.name())
                    .append("](#")
                    .append(command.name().replace(":", ""))
                    .append(") | ")
                    .append(cell(command.description()))
                    .append(" |\n");
        }
        commands.forEach(command -> append(text, command));
        return text.toString();
    }

    private static void append(StringBuilder text, CommandDoc command) {
        text.append("\n## ")
                .append(command.name())
                .append("\n\n")
                .append(command.description())
                .append(".\n");
        if (!command.options().isEmpty() || !command.arguments().isEmpty()) {
            text.append("\n| option, argument | meaning |\n|---|---|\n");
        }
        for (CommandDoc.OptionDoc option : command.options()) {
            text.append("| `")
                    .append(String.join("`, `", option.names()))
                    .append(option.isFlag() ? "`" : "` *value*")
                    .append(" | ")
                    .append(cell(option.description()))
                    .append(" |\n");
        }
        for (CommandDoc.ArgumentDoc argument : command.arguments()) {
            text.append("| *")
                    .append(argument.name().replace("...", "…"))
                    .append(argument.isRequired() ? "*" : "*, optional")
                    .append(" | ")
                    .append(cell(argument.description()))
                    .append(" |\n");
        }
        if (!command.detail().isEmpty()) {
            text.append("\n```\n").append(command.detail()).append("\n```\n");
        }
    }

    private static String cell(String text) {
        return text.strip().replaceAll("\\s*\\R\\s*", " ").replace("|", "\\|");
    }
}
