package io.verbena.pages;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The completion of bash: words and options of the program, and commands and their options in the text of -c. */
final class BashCompletion {
    private static final String CODE =
            """

            # Completes a text of commands, of which $1 is there so far: the last word of its last command.
            _verbena_text() {
                local text=$1 word before command previous candidates
                word=${text##*[[:space:];|\\{\\}]}
                before=${text:0:${#text}-${#word}}
                command=${before##*[;|\\{\\}$'\\n']}
                read -r command previous <<<"$command"
                previous=${previous%"${previous##*[![:space:]]}"}
                previous=${previous##*[[:space:]]}
                if [[ -z $command ]]; then
                    candidates=$(compgen -W "$_verbena_commands" -- "$word")
                elif [[ $word == -* ]]; then
                    candidates=$(compgen -W "$(_verbena_options "$command")" -- "$word")
                elif [[ $previous == -* && -n $(_verbena_values "$command $previous") ]]; then
                    candidates=$(compgen -W "$(_verbena_values "$command $previous")" -- "$word")
                else
                    candidates=$(compgen -f -- "$word")
                fi
                local IFS=$'\\n' candidate
                for candidate in $candidates; do
                    COMPREPLY+=("$before$candidate")
                done
            }

            # Completes files, or with -d directories.
            _verbena_files() {
                local IFS=$'\\n'
                compopt -o filenames 2>/dev/null
                COMPREPLY=($(compgen "$1" -- "$2"))
            }

            _verbena() {
                local words=() count=0 i word current previous= mode= place=0
                # readline divides a word without quotes at its colons
                for ((i = 1; i <= COMP_CWORD; i++)); do
                    word=${COMP_WORDS[i]}
                    if [[ $count -gt 0 && ($word == : || ${words[count - 1]} == *:) ]]; then
                        words[count - 1]+=$word
                    else
                        words[count++]=$word
                    fi
                done
                COMPREPLY=()
                current=${words[count - 1]}
                for ((i = 0; i < count - 1; i++)); do
                    word=${words[i]}
                    if [[ -n $mode ]]; then
                        place=$((place + 1))
                    elif [[ $previous == option ]]; then
                        previous=
                        continue
                    else
                        case $word in
                            @VALUED@) previous=option ;;
                            @FLAGS@) ;;
                            *) mode=$word ;;
                        esac
                    fi
                done
                [[ $count -lt 2 ]] || word=${words[count - 2]}
                local plain=${current#[\\'\\"]}
                if [[ -z $mode && $previous == option ]]; then
                    case $word in
            @PROGRAM_VALUES@
                        *) _verbena_files -d "$plain" ;;
                    esac
                    return
                fi
                case $mode in
                    '')
                        COMPREPLY=($(compgen -W "$_verbena_words" -- "$plain"))
                        if [[ ${#COMPREPLY[@]} -eq 0 ]]; then
                            _verbena_files -f "$plain"
                        fi
                        ;;
                    -c)
                        if [[ $place -eq 0 ]]; then
                            _verbena_text "$plain"
                        else
                            _verbena_files -f "$plain"
                        fi
                        ;;
                    serve)
                        if [[ $plain == -* ]]; then
                            COMPREPLY=($(compgen -W "--exports $(_verbena_options nfs:export)" -- "$plain"))
                        elif [[ $word == --exports ]]; then
                            _verbena_files -f "$plain"
                        elif [[ -n $(_verbena_values "nfs:export $word") ]]; then
                            COMPREPLY=($(compgen -W "$(_verbena_values "nfs:export $word")" -- "$plain"))
                        else
                            _verbena_files -d "$plain"
                        fi
                        ;;
                    doctor)
                        if [[ $plain == -* ]]; then
                            COMPREPLY=($(compgen -W "$(_verbena_options rdma:doctor)" -- "$plain"))
                        else
                            COMPREPLY=($(compgen -A hostname -- "$plain"))
                        fi
                        ;;
                    daemon) [[ $place -gt 0 ]] || COMPREPLY=($(compgen -W "status stop" -- "$plain")) ;;
                    demo | --help | --version) ;;
                    *) _verbena_files -f "$plain" ;;
                esac
                # only what follows the last colon is replaced where readline divides there
                if [[ $current == *:* && $current == "$plain" && $COMP_WORDBREAKS == *:* ]]; then
                    word=${current%"${current##*:}"}
                    for ((i = 0; i < ${#COMPREPLY[@]}; i++)); do
                        COMPREPLY[i]=${COMPREPLY[i]#"$word"}
                    done
                fi
            }

            complete -F _verbena verbena
            """;

    private BashCompletion() {}

    static String of(LauncherHelp help, List<CommandDoc> commands) {
        StringBuilder text = new StringBuilder("# bash completion of verbena(1), made by the build of the commands'"
                + " annotations\n# shellcheck shell=bash disable=SC2034,SC2207\n\n");
        text.append("_verbena_words='").append(String.join(" ", words(help))).append("'\n");
        text.append("_verbena_commands='")
                .append(commands.stream().map(CommandDoc::name).collect(Collectors.joining(" ")))
                .append("'\n\n# Prints the options of a command.\n_verbena_options() {\n    case $1 in\n");
        for (CommandDoc command : commands) {
            String options = command.options().stream()
                    .flatMap(option -> option.names().stream())
                    .filter(name -> name.length() > 1)
                    .collect(Collectors.joining(" "));
            text.append("        ")
                    .append(command.name())
                    .append(") echo '")
                    .append((options + " --help").strip())
                    .append("' ;;\n");
        }
        text.append("    esac\n}\n\n# Prints the values of an option of a command, where they are known.\n")
                .append("_verbena_values() {\n    case $1 in\n");
        for (CommandDoc command : commands) {
            for (CommandDoc.OptionDoc option : command.options()) {
                if (!option.values().isEmpty()) {
                    String patterns = option.names().stream()
                            .map(name -> "'" + command.name() + " " + name + "'")
                            .collect(Collectors.joining(" | "));
                    text.append("        ")
                            .append(patterns)
                            .append(") echo '")
                            .append(String.join(" ", option.values()))
                            .append("' ;;\n");
                }
            }
        }
        text.append("    esac\n}\n");
        return text
                + CODE.replace("@VALUED@", patterns(help, true))
                        .replace("@FLAGS@", patterns(help, false))
                        .replace("@PROGRAM_VALUES@\n", programValues(help));
    }

    /** The words that can stand first, and the options before them. */
    static List<String> words(LauncherHelp help) {
        return Stream.concat(help.words().stream(), help.options().stream().flatMap(option -> option.names().stream()))
                .toList();
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
                .map(option -> "            " + String.join(" | ", option.names()) + ") COMPREPLY=($(compgen -W '"
                        + String.join(" ", option.values()) + "' -- \"$plain\")) ;;\n")
                .collect(Collectors.joining());
    }
}
