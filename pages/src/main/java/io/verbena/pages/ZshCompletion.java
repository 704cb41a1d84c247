package io.verbena.pages;

import java.util.List;
import java.util.stream.Collectors;

/** The completion of zsh. In the text of -c it completes as if the text were a line of commands. */
final class ZshCompletion {
    private static final String CODE =
            """

            # Completes options of the command $1, or files as $2 says.
            _verbena_argument() {
              local -a described values
              local option=${words[CURRENT - 1]}
              values=(${=_verbena_values[$1 $option]})
              if [[ $PREFIX == -* ]]; then
                described=("${(@f)_verbena_options[$1]}")
                _describe -o option described
              elif (( $#values )); then
                compadd -- $values
              else
                eval "$2"
              fi
            }

            # Completes the text of -c: its last command.
            _verbena_text() {
              # compset drops what divides commands, so the words of the last one are counted before
              local statement=${${PREFIX##*[;|\\{\\}]}#[\\'\\"]}
              local -a own=(${=statement})
              [[ -z $statement || $statement == *[[:space:]] ]] && own+=('')
              compset -q
              local start=$(( CURRENT - $#own + 1 ))
              if (( CURRENT == start )); then
                _describe command _verbena_commands
              else
                _verbena_argument $words[start] _files
              fi
            }

            _verbena() {
              local i skip= mode= place=0
              for (( i = 2; i < CURRENT; i++ )); do
                if [[ -n $mode ]]; then
                  (( place++ ))
                elif [[ -n $skip ]]; then
                  skip=
                else
                  case $words[i] in
                    @VALUED@) skip=$words[i] ;;
                    @FLAGS@) ;;
                    *) mode=$words[i] ;;
                  esac
                fi
              done
              case $mode:$skip in
            @PROGRAM_VALUES@
                :?*) _files -/ ;;
                :) _describe word _verbena_words -- _verbena_flags || _files ;;
                -c:)
                  if (( place )); then
                    _files
                  else
                    _verbena_text
                  fi
                  ;;
                serve:) _verbena_argument nfs:export '_files -/' ;;
                doctor:) _verbena_argument rdma:doctor _hosts ;;
                daemon:) (( place )) || compadd status stop ;;
                demo: | --help: | --version:) ;;
                *) _files ;;
              esac
            }

            _verbena "$@"
            """;

    private ZshCompletion() {}

    static String of(LauncherHelp help, List<CommandDoc> commands) {
        StringBuilder text = new StringBuilder(
                "#compdef verbena\n# zsh completion of verbena(1), made by the build of the commands' annotations\n\n");
        text.append("typeset -ga _verbena_words _verbena_flags _verbena_commands\n")
                .append("typeset -gA _verbena_options _verbena_values\n\n_verbena_words=(\n");
        for (String word : help.words()) {
            text.append(described(word, FishCompletion.meaning(help, word)));
        }
        text.append(")\n_verbena_flags=(\n");
        for (LauncherHelp.ProgramOption option : help.options()) {
            option.names().forEach(name -> text.append(described(name, option.text())));
        }
        text.append(")\n_verbena_commands=(\n");
        commands.forEach(command -> text.append(described(command.name(), command.description())));
        text.append(")\n_verbena_options=(\n");
        for (CommandDoc command : commands) {
            text.append("  ").append(command.name()).append(" '");
            for (CommandDoc.OptionDoc option : command.options()) {
                for (String name : option.names()) {
                    text.append(quoted(name + ":" + option.description())).append('\n');
                }
            }
            text.append("--help:Shows the help'\n");
        }
        text.append(")\n_verbena_values=(\n");
        for (CommandDoc command : commands) {
            for (CommandDoc.OptionDoc option : command.options()) {
                if (!option.values().isEmpty()) {
                    option.names().forEach(name -> text.append("  '")
                            .append(command.name())
                            .append(' ')
                            .append(name)
                            .append("' '")
                            .append(String.join(" ", option.values()))
                            .append("'\n"));
                }
            }
        }
        text.append(")\n");
        return text
                + CODE.replace("@VALUED@", patterns(help, true))
                        .replace("@FLAGS@", patterns(help, false))
                        .replace("@PROGRAM_VALUES@\n", programValues(help));
    }

    private static String described(String name, String meaning) {
        return "  '" + quoted(name.replace(":", "\\:") + ":" + meaning) + "'\n";
    }

    private static String quoted(String text) {
        return text.strip().replaceAll("\\s*\\R\\s*", " ").replace("'", "'\\''");
    }

    private static String patterns(LauncherHelp help, boolean isValued) {
        return help.options().stream()
                .filter(option -> option.value().isEmpty() != isValued)
                .flatMap(option -> option.names().stream())
                .collect(Collectors.joining(" | "));
    }

    private static String programValues(LauncherHelp help) {
        return help.options().stream()
                .filter(option -> !option.values().isEmpty())
                .map(option -> "    "
                        + option.names().stream().map(name -> ":" + name).collect(Collectors.joining(" | "))
                        + ") compadd -- " + String.join(" ", option.values()) + " ;;\n")
                .collect(Collectors.joining());
    }
}
