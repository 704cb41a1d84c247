package io.verbena.itests;

import io.verbena.cli.CliCommand;
import io.verbena.cli.rdma.internal.DevicesCommand;
import java.io.IOException;
import java.lang.annotation.Annotation;
import java.lang.reflect.Field;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.karaf.shell.api.action.Argument;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Option;

/**
 * Generates the page of all commands, {@code docs/commands.md}, from the annotations that {@code --help} uses. The
 * build runs it. Arguments: the project's root; {@code write} to update the page, {@code check} if the page has to be
 * up to date already. Ends with status 1 where it is not.
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
    public static void main(String[] arguments) throws IOException, URISyntaxException {
        Path page =
                Path.of(arguments[0], "docs", "commands.md").toAbsolutePath().normalize();
        String text = text(Stream.concat(commands(CliCommand.class).stream(), commands(DevicesCommand.class).stream())
                .sorted(Comparator.comparing(CommandsPage::name))
                .toList());
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

    /** The command classes in the jar or folder of a class. */
    private static List<Class<?>> commands(Class<?> neighbour) throws IOException, URISyntaxException {
        Path place = Path.of(
                neighbour.getProtectionDomain().getCodeSource().getLocation().toURI());
        if (Files.isDirectory(place)) {
            return commands(neighbour, place);
        }
        try (FileSystem jar = FileSystems.newFileSystem(URI.create("jar:" + place.toUri()), Map.of())) {
            return commands(neighbour, jar.getPath("/"));
        }
    }

    private static List<Class<?>> commands(Class<?> neighbour, Path root) throws IOException {
        List<Class<?>> found = new ArrayList<>();
        try (Stream<Path> files = Files.walk(root)) {
            for (Path file : (Iterable<Path>) files::iterator) {
                String name = root.relativize(file).toString();
                if (name.endsWith("Command.class")) {
                    Class<?> type = load(neighbour, name.replace(".class", "").replace('/', '.'));
                    if (type.isAnnotationPresent(Command.class)) {
                        found.add(type);
                    }
                }
            }
        }
        return found;
    }

    private static Class<?> load(Class<?> neighbour, String name) {
        try {
            return Class.forName(name, false, neighbour.getClassLoader());
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String name(Class<?> type) {
        Command command = type.getAnnotation(Command.class);
        return command.scope() + ":" + command.name();
    }

    private static String text(List<Class<?>> commands) {
        StringBuilder text = new StringBuilder(HEAD).append("\n| command | what it does |\n|---|---|\n");
        for (Class<?> type : commands) {
            String name = name(type);
            text.append("| [")
                    .append(name)
                    .append("](#")
                    .append(name.replace(":", ""))
                    .append(") | ")
                    .append(cell(type.getAnnotation(Command.class).description()))
                    .append(" |\n");
        }
        commands.forEach(type -> append(text, type));
        return text.toString();
    }

    private static void append(StringBuilder text, Class<?> type) {
        Command command = type.getAnnotation(Command.class);
        text.append("\n## ")
                .append(name(type))
                .append("\n\n")
                .append(command.description())
                .append(".\n");
        List<Field> options = fields(type, Option.class);
        List<Field> arguments = fields(type, Argument.class);
        arguments.sort(Comparator.comparingInt(
                field -> field.getAnnotation(Argument.class).index()));
        options.sort(
                Comparator.comparing(field -> field.getAnnotation(Option.class).name()));
        if (!options.isEmpty() || !arguments.isEmpty()) {
            text.append("\n| option, argument | meaning |\n|---|---|\n");
        }
        for (Field field : options) {
            Option option = field.getAnnotation(Option.class);
            List<String> names = new ArrayList<>(List.of(option.name()));
            names.addAll(List.of(option.aliases()));
            boolean isFlag = field.getType() == boolean.class || field.getType() == Boolean.class;
            String shown = "`" + String.join("`, `", names) + "`" + (isFlag ? "" : " *value*");
            text.append("| ")
                    .append(shown)
                    .append(" | ")
                    .append(cell(option.description()))
                    .append(" |\n");
        }
        for (Field field : arguments) {
            Argument argument = field.getAnnotation(Argument.class);
            text.append("| *")
                    .append(argument.name().replace("...", "…"))
                    .append(argument.required() ? "*" : "*, optional")
                    .append(" | ")
                    .append(cell(argument.description()))
                    .append(" |\n");
        }
        String detail = command.detailedDescription().strip();
        if (!detail.isEmpty()) {
            text.append("\n```\n").append(detail).append("\n```\n");
        }
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

    private static String cell(String text) {
        return text.strip().replaceAll("\\s*\\R\\s*", " ").replace("|", "\\|");
    }
}
