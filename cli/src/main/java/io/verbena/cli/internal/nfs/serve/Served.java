package io.verbena.cli.internal.nfs.serve;

import io.verbena.cli.CommandFailure;
import io.verbena.cli.CommandJournal;
import io.verbena.cli.ExitStatus;
import io.verbena.cli.Failures;
import io.verbena.cli.Text;
import io.verbena.cli.internal.ShellWords;
import io.verbena.cli.internal.script.UsageErrors;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.karaf.shell.api.console.Session;
import org.apache.karaf.shell.support.CommandException;

/** The exports or mounts that a file asks for. One thread uses it. */
final class Served {
    /** How one line of the file is served. */
    interface Kind {
        /**
         * Makes what a line asks for.
         *
         * @param words the words of the line
         * @param made receives the names of what was made, also before a failure
         * @throws IllegalArgumentException if these are no words
         */
        void begin(String words, Set<String> made) throws Exception;

        /** Ends what was made. */
        void end(String name) throws IOException, InterruptedException, CommandException;

        /** Returns one line about what has some names. */
        String status(Set<String> names);
    }

    /** In characters. */
    private static final int LONG_MESSAGE = 2000;

    private static final int LONG_LINE = 200;

    private final Kind kind;
    private final LinesFile file;

    /** The names of what each line of the file made. */
    private final Map<String, Set<String>> served = new LinkedHashMap<>();

    Served(Kind kind, LinesFile file) {
        this.kind = kind;
        this.file = file;
    }

    /** Returns a command with words that mean themselves. */
    static String command(String command, List<String> words) {
        return command + " " + words.stream().map(ShellWords::quoted).collect(Collectors.joining(" "));
    }

    /** Runs a command. What is wrong with its words is told as in a script. */
    static void execute(Session session, String command) throws Exception {
        try {
            session.execute(command);
        } catch (CommandException e) {
            CommandJournal.forgive(session, e);
            throw UsageErrors.explain(session.getRegistry(), e);
        }
    }

    /**
     * Makes what new lines of the file ask for, and ends what lines made that are gone. All else goes on without a
     * break. After a failure of one line, the others are served, and lines that are gone as well: the line that failed
     * may be one of them, with a fault in its change.
     *
     * @throws CommandException if the file cannot be read, or has no line; then nothing has changed. Or with all lines
     *     that failed
     */
    void update() throws CommandException, InterruptedException {
        Map<String, Integer> wanted = file.read();
        if (wanted.isEmpty()) {
            throw new CommandFailure(
                    ExitStatus.USAGE, file.place(1) + ": there is no " + file.thing() + " in the file");
        }
        Map<String, Integer> missing = new LinkedHashMap<>(wanted);
        missing.keySet().removeAll(served.keySet());
        List<String> gone = new ArrayList<>(served.keySet());
        gone.removeAll(wanted.keySet());
        CommandException failure = begin(missing);
        if (failure != null && (gone.isEmpty() || isUsage(failure))) {
            throw failure;
        }
        // a line may have failed since what is gone had its name or its port
        CommandException unended = null;
        for (String words : gone) {
            unended = both(unended, end(words));
        }
        if (failure != null) {
            failure = begin(missing);
        }
        if (failure != null) {
            begin(gone.stream().collect(Collectors.toMap(words -> words, words -> 0)));
        }
        failure = both(failure, unended);
        if (failure != null) {
            throw failure;
        }
    }

    /** Makes what lines ask for, and removes them. Those that fail stay. */
    private CommandException begin(Map<String, Integer> lines) throws InterruptedException {
        CommandException failure = null;
        for (Map.Entry<String, Integer> line : List.copyOf(lines.entrySet())) {
            CommandException reason = begin(line.getKey(), line.getValue());
            if (reason == null) {
                lines.remove(line.getKey());
            } else if (isUsage(reason) && !isUsage(failure)) {
                failure = both(reason, failure); // its status counts
            } else {
                failure = both(failure, reason);
            }
        }
        return failure;
    }

    private static boolean isUsage(CommandException failure) {
        return failure != null && ExitStatus.of(failure) == ExitStatus.USAGE;
    }

    private CommandException begin(String words, int line) throws InterruptedException {
        Set<String> made = new TreeSet<>();
        try {
            kind.begin(words, made);
        } catch (InterruptedException e) {
            throw e;
        } catch (IllegalArgumentException e) {
            return new CommandFailure(ExitStatus.USAGE, file.place(line) + ": " + e.getMessage(), e);
        } catch (Exception e) {
            ExitStatus status = ExitStatus.of(e);
            String of = status == ExitStatus.USAGE ? ", in: " + shortened(words) : "";
            return new CommandFailure(status, file.place(line) + ": " + e.getMessage() + of, e);
        } finally {
            if (!made.isEmpty()) {
                served.put(words, made);
            }
        }
        return null;
    }

    private static String shortened(String words) {
        return Text.printable(words.length() > LONG_LINE ? words.substring(0, LONG_LINE) + "..." : words);
    }

    /** Ends all. */
    void end() throws CommandException, InterruptedException {
        CommandException failure = null;
        for (String words : List.copyOf(served.keySet())) {
            failure = both(failure, end(words));
        }
        if (failure != null) {
            throw failure;
        }
    }

    private CommandException end(String words) throws InterruptedException {
        CommandException failure = null;
        Set<String> names = served.remove(words);
        served.values().forEach(names::removeAll); // another line has made the same
        for (String name : names) {
            try {
                kind.end(name);
            } catch (IOException | CommandException e) {
                if (ExitStatus.of(e) != ExitStatus.NOT_FOUND) { // somebody has ended it before
                    failure = both(failure, Failures.of(e));
                }
            }
        }
        return failure;
    }

    /** Returns a failure with the reasons of both, and the status of the first. A long one grows no further. */
    private static CommandException both(CommandException one, CommandException next) {
        if (one == null || next == null) {
            return one == null ? next : one;
        }
        return one.getMessage().length() > LONG_MESSAGE
                ? one
                : new CommandFailure(ExitStatus.of(one), one.getMessage() + "; " + next.getMessage(), one);
    }

    /** Returns one line about all. */
    String status() {
        Set<String> names = new TreeSet<>();
        served.values().forEach(names::addAll);
        return kind.status(names);
    }
}
