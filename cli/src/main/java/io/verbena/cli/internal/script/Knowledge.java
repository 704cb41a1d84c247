package io.verbena.cli.internal.script;

import io.verbena.nfs.NearestName;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.apache.karaf.shell.api.action.Option;
import org.apache.karaf.shell.api.console.Command;
import org.apache.karaf.shell.api.console.Registry;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Provides information about the commands of the shell. */
final class Knowledge {
    private static final Logger LOG = LoggerFactory.getLogger(Knowledge.class);

    private static final String ALL_SCOPES = "*";

    private Knowledge() {}

    /**
     * Returns the command whose name is nearest to an unknown one, which may lack its scope. Bundles register their
     * commands one after the other, so that only the declared ones with them give the same answer at any time.
     *
     * @param declared more commands, with scope and name, which may not be registered
     */
    static Optional<String> nearestCommand(Registry registry, Collection<String> declared, String given) {
        Set<String> known = new TreeSet<>(declared);
        registry.getCommands().forEach(command -> known.add(fullName(command)));
        Map<String, String> names = new LinkedHashMap<>();
        known.forEach(name -> names.putIfAbsent(likeGiven(given, name), name));
        return NearestName.of(given, names.keySet()).map(names::get);
    }

    /** Returns the scope and the name of a command, and the name alone of a command that is in all scopes. */
    private static String fullName(Command command) {
        return command.getScope().equals(ALL_SCOPES) ? command.getName() : command.getScope() + ":" + command.getName();
    }

    /** Returns the name of a command, without its scope if the given name has none. */
    static String likeGiven(String given, String name) {
        return given.indexOf(':') < 0 ? name.substring(name.indexOf(':') + 1) : name;
    }

    /** Returns all options of a command, with all their names. */
    static List<String> options(Registry registry, String scope, String name) {
        List<String> options = new ArrayList<>();
        Class<?> type = Optional.ofNullable(registry.getCommand(scope, name))
                .flatMap(Knowledge::action)
                .orElse(Object.class);
        for (Class<?> each = type; each != null; each = each.getSuperclass()) {
            for (Field field : each.getDeclaredFields()) {
                Option option = field.getAnnotation(Option.class);
                if (option != null) {
                    options.add(option.name());
                    options.addAll(List.of(option.aliases()));
                }
            }
        }
        return options;
    }

    /**
     * Returns the annotated class from which Karaf created the command. Its type is not exported, but its method is
     * public.
     */
    private static Optional<Class<?>> action(Command command) {
        try {
            return Optional.of(
                    (Class<?>) command.getClass().getMethod("getActionClass").invoke(command));
        } catch (ReflectiveOperationException e) {
            LOG.trace("{} is no annotated command", command.getName(), e);
            return Optional.empty();
        }
    }
}
