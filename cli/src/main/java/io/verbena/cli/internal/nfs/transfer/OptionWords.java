package io.verbena.cli.internal.nfs.transfer;

import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import org.apache.karaf.shell.api.action.Option;

/** The words of the options that a user has given to a command, taken from its annotated fields, to repeat them. */
final class OptionWords {
    private OptionWords() {}

    /**
     * Returns the words, in the order of the options' names. An option is not given where its field is false or empty.
     *
     * @param command the command, whose fields the shell has set
     * @param without the name of an option to leave out
     * @param types the classes whose options are wanted: that of the command, or above it
     */
    static List<String> of(Object command, String without, Class<?>... types) {
        List<Field> fields = Arrays.stream(types)
                .flatMap(type -> Arrays.stream(type.getDeclaredFields()))
                .filter(field -> field.isAnnotationPresent(Option.class))
                .filter(field -> !name(field).equals(without))
                .sorted(Comparator.comparing(OptionWords::name))
                .toList();
        List<String> words = new ArrayList<>();
        for (Field field : fields) {
            add(words, name(field), value(field, command));
        }
        return words;
    }

    private static String name(Field field) {
        return field.getAnnotation(Option.class).name();
    }

    private static Object value(Field field, Object command) {
        try {
            field.setAccessible(true);
            return field.get(command);
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e); // it has just been made accessible
        }
    }

    private static void add(List<String> words, String option, Object value) {
        if (value instanceof Boolean isSet) {
            if (isSet) {
                words.add(option);
            }
        } else if (value instanceof Collection<?> all) {
            all.forEach(each -> add(words, option, each));
        } else if (value != null && !value.toString().isEmpty()) {
            words.add(option);
            words.add(value.toString());
        }
    }
}
