package io.verbena.cli;

import io.verbena.text.LocalNames;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.apache.karaf.shell.api.console.Session;

/**
 * Where and how the commands of a session are called: the working directory, the environment, and the terminal. They
 * are those of this process, unless another process hands its commands over to this one. No other class of the shell
 * asks the process for them. Immutable.
 */
public final class Invocation {
    private static final String VARIABLE = ".verbena.invocation";
    private static final String COLUMNS = "verbena.columns";
    private static final Invocation PROCESS =
            new Invocation(Path.of("").toAbsolutePath(), System.getenv(), Math.max(0, Integer.getInteger(COLUMNS, 0)));

    private final Path directory;
    private final Map<String, String> environment;
    private final int columns;

    /**
     * Creates a description.
     *
     * @param directory the working directory, an absolute path
     * @param environment the variables of the environment
     * @param columns the columns of the terminal that shows the output; 0 if there is none
     */
    public Invocation(Path directory, Map<String, String> environment, int columns) {
        if (!directory.isAbsolute()) {
            throw new IllegalArgumentException("not absolute: " + directory);
        }
        this.directory = directory;
        this.environment = Map.copyOf(environment);
        this.columns = columns;
    }

    /** Returns the invocation of this process. */
    public static Invocation ofProcess() {
        return PROCESS;
    }

    /** Returns the invocation of a session. */
    public static Invocation of(Session session) {
        return session != null && session.get(VARIABLE) instanceof Invocation own ? own : PROCESS;
    }

    /** Makes this the invocation of a session. */
    public void enter(Session session) {
        session.put(VARIABLE, this);
        session.currentDir(directory);
    }

    /** Returns the working directory, an absolute path. */
    public Path directory() {
        return directory;
    }

    /**
     * Returns the absolute path of this host that a user means. A relative one counts from the working directory.
     *
     * @param shown the path in the form of {@link LocalNames#parse(String)}
     * @throws IllegalArgumentException if it is no path
     */
    public Path path(String shown) {
        return LocalNames.parse(shown, directory);
    }

    /** Returns a variable of the environment; empty if it is not set. */
    public Optional<String> environment(String name) {
        return Optional.ofNullable(environment.get(name));
    }

    /** Returns the columns of the terminal that shows the output; 0 if there is none. */
    public int columns() {
        return columns;
    }
}
