package io.verbena.pages;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.jar.Manifest;
import java.util.stream.Stream;
import org.apache.karaf.shell.api.action.Command;

/** Finds the commands of Verbena's bundles on the class path, as Karaf finds them: by the header of the bundle. */
final class CommandClasses {
    private static final String HEADER = "Karaf-Commands";
    private static final String OURS = "io.verbena.";

    private CommandClasses() {}

    /** The commands in the order of their names. */
    static List<CommandDoc> onClassPath() throws IOException {
        List<CommandDoc> found = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
            Path place = Path.of(entry).toAbsolutePath();
            if (Files.isDirectory(place)) {
                add(place, found);
            } else if (entry.endsWith(".jar") && Files.exists(place)) {
                try (FileSystem jar = FileSystems.newFileSystem(URI.create("jar:" + place.toUri()), Map.of())) {
                    add(jar.getPath("/"), found);
                }
            }
        }
        if (found.isEmpty()) {
            throw new IllegalStateException("no bundle on the class path has commands of Verbena");
        }
        found.sort(Comparator.comparing(CommandDoc::name));
        return List.copyOf(found);
    }

    private static void add(Path root, List<CommandDoc> found) throws IOException {
        Path manifest = root.resolve("META-INF/MANIFEST.MF");
        if (!Files.exists(manifest) || !packages(manifest).startsWith(OURS)) {
            return;
        }
        try (Stream<Path> files = Files.walk(root)) {
            for (Path file : (Iterable<Path>) files::iterator) {
                String name = root.relativize(file).toString();
                if (name.endsWith("Command.class")) {
                    Class<?> type = load(name.replace(".class", "").replace('/', '.'));
                    if (type.isAnnotationPresent(Command.class)) {
                        found.add(CommandDoc.of(type));
                    }
                }
            }
        }
    }

    private static String packages(Path manifest) throws IOException {
        try (InputStream in = Files.newInputStream(manifest)) {
            String header = new Manifest(in).getMainAttributes().getValue(HEADER);
            return header == null ? "" : header.strip();
        }
    }

    private static Class<?> load(String name) {
        try {
            return Class.forName(name, false, CommandClasses.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException(e);
        }
    }
}
