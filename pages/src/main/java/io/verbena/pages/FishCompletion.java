package io.verbena.pages;

import java.util.List;
import java.util.stream.Collectors;

/** The completion of fish. In the text of -c it completes the last word of the last command. */
final class FishCompletion {
    private static final String CODE =
            """

            # Prints the whole text of -c with each way to go on.
            function __verbena_text
                set -l text (commandline -ct | string replace -r '^[\\'"]' '' | string collect)
                set -l word (string match -r '[^\\s;|{}]*$' -- $text)
                set -l before (string sub -l (math (string length -- $text) - (string length -- "$word")) -- $text)
                test (string length -- "$word") -eq (string length -- $text); and set before ''
                set -l statement (string match -r '[^;|{}]*$' -- $before | string trim)
                set -l words (string split -n ' ' -- "$statement")
                if test (count $words) -eq 0
                    for line in (__verbena_commands)
                        echo $before$line
                    end
                else if string match -q -- '-*' "$word"
                    for line in (__verbena_options $words[1])
                        echo $before$line
                    end
                else
                    set -l values (__verbena_values "$words[1] $words[-1]")
                    if test (count $values) -eq 0
                        set values (__fish_complete_path "$word")
                    end
                    for line in $values
                        echo $before$line
                    end
                end
            end

            # Whether no word of the program is there yet, besides options.
            function __verbena_first
                set -l words (commandline -opc)
                set -e words[1]
                set -l skip 0
                for word in $words
                    if test $skip -eq 1
                        set skip 0
                    else if contains -- $word @VALUED@
                        set skip 1
                    else if not contains -- $word @FLAGS@
                        return 1
                    end
                end
                return 0
            end

            """;

    private FishCompletion() {}

    static String of(LauncherHelp help, List<CommandDoc> commands) {
        StringBuilder text = new StringBuilder(
                "# fish completion of verbena(1), made by the build of the commands' annotations\n\n");
        text.append("function __verbena_commands\n");
        commands.forEach(command -> text.append(printed(command.name(), command.description(), 1)));
        text.append("end\n\nfunction __verbena_options\n    switch $argv[1]\n");
        for (CommandDoc command : commands) {
            text.append("        case ").append(command.name()).append('\n');
            for (CommandDoc.OptionDoc option : command.options()) {
                option.names().forEach(name -> text.append(printed(name, option.description(), 3)));
            }
            text.append(printed("--help", "Shows the help", 3));
        }
        text.append("    end\nend\n\nfunction __verbena_values\n    switch $argv[1]\n");
        for (CommandDoc command : commands) {
            for (CommandDoc.OptionDoc option : command.options()) {
                if (!option.values().isEmpty()) {
                    text.append("        case ")
                            .append(option.names().stream()
                                    .map(name -> "'" + command.name() + " " + name + "'")
                                    .collect(Collectors.joining(" ")))
                            .append('\n');
                    option.values().forEach(value -> text.append(printed(value, "", 3)));
                }
            }
        }
        text.append("    end\nend\n");
        text.append(CODE.replace("@VALUED@", names(help, true)).replace("@FLAGS@", names(help, false)));
        for (String word : help.words()) {
            String first = "complete -c verbena -n __verbena_first ";
            String meaning = " -d '" + quoted(meaning(help, word)) + "'\n";
            // the argument of -c is completed where -c is already there
            text.append(
                            word.equals("-c")
                                    ? "complete -c verbena -s c -x -a '(__verbena_text)'"
                                    : first + "-a '" + word + "'")
                    .append(meaning);
        }
        for (LauncherHelp.ProgramOption option : help.options()) {
            text.append("complete -c verbena -n __verbena_first");
            option.names().forEach(name -> text.append(name.startsWith("--") ? " -l " : " -s ")
                    .append(name.replaceFirst("^-+", "")));
            if (!option.values().isEmpty()) {
                text.append(" -x -a '")
                        .append(String.join(" ", option.values()))
                        .append("'");
            } else if (!option.value().isEmpty()) {
                text.append(" -x -a '(__fish_complete_directories)'");
            }
            text.append(" -d '").append(quoted(option.text())).append("'\n");
        }
        text.append(
                """
                complete -c verbena -n '__fish_seen_subcommand_from serve' -a '(__verbena_options nfs:export)'
                complete -c verbena -n '__fish_seen_subcommand_from serve' -l exports -r -d 'A file of exports'
                complete -c verbena -n '__fish_seen_subcommand_from doctor' -f -a '(__verbena_options rdma:doctor)'
                complete -c verbena -n '__fish_seen_subcommand_from doctor' -f -a '(__fish_print_hostnames)'
                complete -c verbena -n '__fish_seen_subcommand_from daemon' -f -a 'status stop'
                complete -c verbena -n '__fish_seen_subcommand_from demo' -f
                """);
        return text.toString();
    }

    /** What the first form of use with a word does. */
    static String meaning(LauncherHelp help, String word) {
        return help.uses().stream()
                .filter(use -> List.of(use.key().split(" ", -1)).contains(word))
                .map(LauncherHelp.Entry::text)
                .filter(text -> !text.isEmpty())
                .findFirst()
                .orElse(word.equals("--version") ? "Prints the version" : "Prints how it is used");
    }

    private static String printed(String candidate, String meaning, int depth) {
        String description = meaning.isEmpty() ? "" : " '" + quoted(meaning) + "'";
        return "    ".repeat(depth) + (description.isEmpty() ? "printf '%s\\n' " : "printf '%s\\t%s\\n' ") + "'"
                + quoted(candidate) + "'" + description + "\n";
    }

    private static String quoted(String text) {
        return text.strip().replaceAll("\\s*\\R\\s*", " ").replace("\\", "\\\\").replace("'", "\\'");
    }

    private static String names(LauncherHelp help, boolean isValued) {
        return help.options().stream()
                .filter(option -> option.value().isEmpty() != isValued)
                .flatMap(option -> option.names().stream())
                .collect(Collectors.joining(" "));
    }
}
