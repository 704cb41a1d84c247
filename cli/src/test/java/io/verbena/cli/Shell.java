package io.verbena.cli;

import java.io.BufferedOutputStream;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.apache.felix.gogo.runtime.threadio.ThreadIOImpl;
import org.apache.felix.service.command.CommandSessionListener;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.apache.karaf.shell.api.console.Candidate;
import org.apache.karaf.shell.api.console.Command;
import org.apache.karaf.shell.api.console.Session;
import org.apache.karaf.shell.impl.action.command.ManagerImpl;
import org.apache.karaf.shell.impl.console.JLineTerminal;
import org.apache.karaf.shell.impl.console.SessionFactoryImpl;
import org.apache.karaf.shell.support.CommandException;
import org.apache.karaf.shell.support.parsing.CommandLineImpl;
import org.jline.terminal.Size;
import org.jline.terminal.impl.ExternalTerminal;

/** Karaf's own shell with every command of a bundle. The commands are found as Karaf finds them. */
public final class Shell implements AutoCloseable {
    private final ThreadIOImpl threadIo = SharedThreadIo.get();
    private final SessionFactoryImpl factory = new SessionFactoryImpl(threadIo);

    /**
     * Creates a shell.
     *
     * @param top a class in the package of the commands, or in a package above it
     * @param services the services that commands may refer to
     */
    public Shell(Class<?> top, Object... services) throws Exception {
        for (Object service : services) {
            factory.register(service);
        }
        ManagerImpl manager = new ManagerImpl(factory, factory);
        for (Class<?> command : commands(top)) {
            manager.register(command);
        }
    }

    /** Returns the commands and completers in the package of a class, and in the packages below it. */
    public static List<Class<?>> commands(Class<?> top) throws Exception {
        URI file = top.getResource(top.getSimpleName() + ".class").toURI();
        Path directory = Path.of(file).getParent();
        try (Stream<Path> files = Files.walk(directory)) {
            return files.map(each -> directory.relativize(each).toString())
                    .filter(each -> each.endsWith(".class"))
                    .map(each ->
                            top.getPackageName() + "." + each.replace('/', '.').replace(".class", ""))
                    .<Class<?>>map(each -> load(each, top.getClassLoader()))
                    .filter(type -> type.getAnnotation(Service.class) != null)
                    .toList();
        }
    }

    private static Class<?> load(String name, ClassLoader loader) {
        try {
            return Class.forName(name, false, loader);
        } catch (ClassNotFoundException e) {
            throw new AssertionError(e);
        }
    }

    /** Runs commands, and returns their output. */
    public String run(String commands) throws Exception {
        return new String(runRaw(commands), StandardCharsets.UTF_8);
    }

    /** Runs commands as {@link #run(String)} does, as those of an invocation. */
    public String run(Invocation invocation, String commands) throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8);
                Session session = factory.create(InputStream.nullInputStream(), out, out)) {
            invocation.enter(session);
            session.execute(commands);
        }
        return bytes.toString(StandardCharsets.UTF_8);
    }

    /** Runs commands as {@link #run} does, and returns the octets of their output. */
    public byte[] runRaw(String commands) throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        run(commands, bytes);
        return bytes.toByteArray();
    }

    /** Runs commands until one fails, and returns their output and the message of the failure. */
    public String runUntilFailure(String commands) throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try {
            run(commands, bytes);
        } catch (CommandException e) {
            return bytes.toString(StandardCharsets.UTF_8) + e.getMessage() + "\n";
        }
        throw new AssertionError("nothing failed");
    }

    /** Runs commands that may fail, and writes their output to a stream in either case. */
    public void run(String commands, OutputStream to) throws Exception {
        try (PrintStream out = new PrintStream(to, true, StandardCharsets.UTF_8);
                Session session = factory.create(InputStream.nullInputStream(), out, out)) {
            session.execute(commands);
        }
    }

    /**
     * Runs commands as {@link #run(String, OutputStream)} does, on a terminal. Karaf's terminal passes its output on
     * when it is flushed.
     */
    public void runOnTerminal(String commands, InputStream keys, OutputStream screen) throws Exception {
        try (PrintStream out = new PrintStream(new BufferedOutputStream(screen), false, StandardCharsets.UTF_8);
                Session session = factory.create(keys, out, out)) {
            session.execute(commands);
        }
    }

    /** Adds a listener of sessions, as Karaf does with the services of that type. */
    public void addListener(CommandSessionListener listener) {
        factory.getCommandProcessor().addListener(listener);
    }

    /**
     * Types keys at the prompt of an interactive session until the end of the keys, and returns the screen.
     *
     * @param home an empty directory, for the files that such a session reads and writes
     * @param columns the width of the terminal
     */
    public String type(String keys, Path home, int columns) throws Exception {
        for (String each : List.of("karaf.home", "karaf.etc", "karaf.history")) {
            System.setProperty(each, home.resolve(each).toString());
        }
        ByteArrayOutputStream screen = new ByteArrayOutputStream();
        byte[] typed = (keys + "\004").getBytes(StandardCharsets.UTF_8);
        try (org.jline.terminal.Terminal terminal = new ExternalTerminal(
                        "test", "xterm", new ByteArrayInputStream(typed), screen, StandardCharsets.UTF_8);
                PrintStream out = new PrintStream(terminal.output(), true, StandardCharsets.UTF_8)) {
            terminal.setSize(new Size(columns, 50));
            Session session =
                    factory.create(terminal.input(), out, out, new JLineTerminal(terminal), "UTF-8", () -> {});
            session.execute("started=1"); // as the start script of a session
            session.run();
        }
        return screen.toString(StandardCharsets.UTF_8);
    }

    /** An action in a session. */
    @FunctionalInterface
    public interface InSession {
        void run(Session session) throws Exception;
    }

    /** Runs commands in a session, and then an action in the same session. */
    public void inSession(String commands, InSession rest) throws Exception {
        try (Session session = silentSession()) {
            session.execute(commands);
            rest.run(session);
        }
    }

    /** Returns the completions of the last of these words. The first word is a command. */
    public List<String> complete(String... words) {
        try (Session session = silentSession()) {
            return complete(session, words);
        }
    }

    /** Returns completions as {@link #complete(String...)} does, in a session. */
    public List<String> complete(Session session, String... words) {
        List<Candidate> candidates = new ArrayList<>();
        String last = words[words.length - 1];
        String line = String.join(" ", words);
        int colon = words[0].indexOf(':');
        Command command = factory.getCommand(words[0].substring(0, colon), words[0].substring(colon + 1));
        command.getCompleter(false)
                .completeCandidates(
                        session,
                        new CommandLineImpl(words, words.length - 1, last.length(), line.length(), line),
                        candidates);
        return candidates.stream().map(Candidate::value).toList();
    }

    private Session silentSession() {
        PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8);
        return factory.create(InputStream.nullInputStream(), nowhere, nowhere);
    }

    @Override
    public void close() {
        factory.stop();
    }
}
