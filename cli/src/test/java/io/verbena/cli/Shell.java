package io.verbena.cli;

import java.io.BufferedOutputStream;
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
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.apache.karaf.shell.api.console.Candidate;
import org.apache.karaf.shell.api.console.Command;
import org.apache.karaf.shell.api.console.Session;
import org.apache.karaf.shell.impl.action.command.ManagerImpl;
import org.apache.karaf.shell.impl.console.SessionFactoryImpl;
import org.apache.karaf.shell.support.CommandException;
import org.apache.karaf.shell.support.parsing.CommandLineImpl;

/** Karaf's own shell with every command of a bundle, found as Karaf finds them. */
public final class Shell implements AutoCloseable {
    private final ThreadIOImpl threadIo = new ThreadIOImpl();
    private final SessionFactoryImpl factory = new SessionFactoryImpl(threadIo);

    /**
     * @param top a class of the package that the commands are in, or below which they are
     * @param services what commands may refer to
     */
    public Shell(Class<?> top, Object... services) throws Exception {
        threadIo.start();
        for (Object service : services) {
            factory.register(service);
        }
        ManagerImpl manager = new ManagerImpl(factory, factory);
        for (Class<?> command : commands(top)) {
            manager.register(command);
        }
    }

    /** The commands and completers in the package of that class, and below. */
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

    /** Runs commands, and returns what they print. */
    public String run(String commands) throws Exception {
        return new String(runRaw(commands), StandardCharsets.UTF_8);
    }

    /** As {@link #run}, octet by octet. */
    public byte[] runRaw(String commands) throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        run(commands, bytes);
        return bytes.toByteArray();
    }

    /** What commands print until one fails, and with what message that did. */
    public String runUntilFailure(String commands) throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try {
            run(commands, bytes);
        } catch (CommandException e) {
            return bytes.toString(StandardCharsets.UTF_8) + e.getMessage() + "\n";
        }
        throw new AssertionError("nothing failed");
    }

    /** Runs commands that may fail, and writes what they print to a stream, whether they do or not. */
    public void run(String commands, OutputStream to) throws Exception {
        try (PrintStream out = new PrintStream(to, true, StandardCharsets.UTF_8);
                Session session = factory.create(InputStream.nullInputStream(), out, out)) {
            session.execute(commands);
        }
    }

    /** As {@link #run(String, OutputStream)}, to a terminal: Karaf's passes on what it was given when it is flushed. */
    public void runOnTerminal(String commands, InputStream keys, OutputStream screen) throws Exception {
        try (PrintStream out = new PrintStream(new BufferedOutputStream(screen), false, StandardCharsets.UTF_8);
                Session session = factory.create(keys, out, out)) {
            session.execute(commands);
        }
    }

    /** Something done in a session. */
    @FunctionalInterface
    public interface InSession {
        void run(Session session) throws Exception;
    }

    /** Does something in a session in which commands have run. */
    public void inSession(String commands, InSession rest) throws Exception {
        try (Session session = silentSession()) {
            session.execute(commands);
            rest.run(session);
        }
    }

    /** What the last of these words may become; the first is a command. */
    public List<String> complete(String... words) {
        try (Session session = silentSession()) {
            return complete(session, words);
        }
    }

    /** As {@link #complete(String...)}, in a session. */
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
        threadIo.stop();
    }
}
