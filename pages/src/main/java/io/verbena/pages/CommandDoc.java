package io.verbena.pages;

import java.lang.annotation.Annotation;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.apache.karaf.shell.api.action.Argument;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Completion;
import org.apache.karaf.shell.api.action.Option;

/**
 * What the annotations of a command tell.
 *
 * @param name the name with its scope: {@code nfs:mount}
 * @param description one line, without a full stop
 * @param options the options, in the order of their names
 * @param arguments the arguments, in their order
 * @param detail the text below them, empty if there is none
 */
record CommandDoc(
        String name, String description, List<OptionDoc> options, List<ArgumentDoc> arguments, String detail) {
    /**
     * An option.
     *
     * @param names the name, then its aliases
     * @param isFlag whether the option stands without a value
     * @param description what it does
     * @param values the values it may have; empty if they are not known
     */
    record OptionDoc(List<String> names, boolean isFlag, String description, List<String> values) {}

    /**
     * An argument.
     *
     * @param name the name in upper case
     * @param isRequired whether the command fails without it
     * @param isRepeated whether several may stand there
     * @param description what it is
     */
    record ArgumentDoc(String name, boolean isRequired, boolean isRepeated, String description) {}

    /** Reads the annotations of a command's class and of its superclasses. */
    static CommandDoc of(Class<?> type) {
        Command command = type.getAnnotation(Command.class);
        return new CommandDoc(
                command.scope() + ":" + command.name(),
                command.description(),
                fields(type, Option.class).stream()
                        .sorted(Comparator.comparing(
                                field -> field.getAnnotation(Option.class).name()))
                        .map(CommandDoc::option)
                        .toList(),
                fields(type, Argument.class).stream()
                        .sorted(Comparator.comparingInt(
                                field -> field.getAnnotation(Argument.class).index()))
                        .map(field -> argument(field.getAnnotation(Argument.class)))
                        .toList(),
                command.detailedDescription().strip());
    }

    private static OptionDoc option(Field field) {
        Option option = field.getAnnotation(Option.class);
        List<String> names = new ArrayList<>(List.of(option.name()));
        names.addAll(List.of(option.aliases()));
        Completion completion = field.getAnnotation(Completion.class);
        boolean isFlag = field.getType() == boolean.class || field.getType() == Boolean.class;
        return new OptionDoc(
                names, isFlag, option.description(), completion == null ? List.of() : List.of(completion.values()));
    }

    private static ArgumentDoc argument(Argument argument) {
        return new ArgumentDoc(argument.name(), argument.required(), argument.multiValued(), argument.description());
    }

    /** The fields of a class and its superclasses that have an annotation. */
    private static List<Field> fields(Class<?> type, Class<? extends Annotation> annotation) {
        List<Field> found = new ArrayList<>();
        for (Class<?> each = type; each != null; each = each.getSuperclass()) {
            for (Field field : each.getDeclaredFields()) {
                if (field.isAnnotationPresent(annotation)) {
                    found.add(field);
                }
            }
        }
        return found;
    }

    /** The lines of the detail above the examples: a paragraph each. */
    List<String> paragraphs() {
        return detail.lines()
                .takeWhile(line -> !line.startsWith("Example"))
                .filter(line -> !line.isBlank())
                .toList();
    }

    /** The lines of the examples. */
    List<String> examples() {
        return detail.lines()
                .dropWhile(line -> !line.startsWith("Example"))
                .map(line -> line.replaceFirst("^Examples?:", "").strip())
                .filter(line -> !line.isEmpty())
                .toList();
    }

    /** The command as it is used: its name, then its options and arguments. */
    String usage() {
        StringBuilder text = new StringBuilder(name);
        if (!options.isEmpty()) {
            text.append(" [OPTION...]");
        }
        for (ArgumentDoc argument : arguments) {
            String word = argument.name().replace("...", "") + (argument.isRepeated() ? "..." : "");
            text.append(' ').append(argument.isRequired() ? word : "[" + word + "]");
        }
        return text.toString();
    }
}
