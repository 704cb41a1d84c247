package io.verbena.cli.internal;

import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.apache.felix.gogo.runtime.threadio.ThreadIOImpl;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.apache.karaf.shell.api.console.Session;
import org.apache.karaf.shell.impl.action.command.ManagerImpl;
import org.apache.karaf.shell.impl.console.SessionFactoryImpl;

/** Karaf's own shell with every command of this bundle, found as Karaf finds them. */
final class Shell implements AutoCloseable {
    private final ThreadIOImpl threadIo = new ThreadIOImpl();
    private final SessionFactoryImpl factory = new SessionFactoryImpl(threadIo);

    Shell(Object... services) throws Exception {
        threadIo.start();
        for (Object service : services) {
            factory.register(service);
        }
        ManagerImpl manager = new ManagerImpl(factory, factory);
        for (Class<?> command : commands()) {
            manager.register(command);
        }
    }

    static List<Class<?>> commands() throws Exception {
        URI classes = Shell.class
                .getClassLoader()
                .getResource("io/verbena/cli/internal/CliCommand.class")
                .toURI();
        Path top = Path.of(classes).getParent();
        try (Stream<Path> files = Files.walk(top)) {
            return files.map(file -> top.relativize(file).toString())
                    .filter(file -> file.endsWith(".class"))
                    .map(file ->
                            "io.verbena.cli.internal." + file.replace('/', '.').replace(".class", ""))
                    .<Class<?>>map(Shell::load)
                    .filter(type -> type.getAnnotation(Service.class) != null)
                    .toList();
        }
    }

    private static Class<?> load(String name) {
        try {
            return Class.forName(name, false, Shell.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            throw new AssertionError(e);
        }
    }

    SessionFactoryImpl factory() {
        return factory;
    }

    /** Runs commands, and returns what they print. */
    String run(String commands) throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8);
                Session session = factory.create(InputStream.nullInputStream(), out, out)) {
            session.execute(commands);
        }
        return bytes.toString(StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        factory.stop();
        threadIo.stop();
    }
}
