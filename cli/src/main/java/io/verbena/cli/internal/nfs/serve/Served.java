package io.verbena.cli.internal.nfs.serve;

import io.verbena.cli.CommandFailure;
import io.verbena.cli.ExitStatus;
import io.verbena.cli.Failures;
import io.verbena.cli.Text;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
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

    /**
     * Makes what new lines of the file ask for, and ends what lines made that are gone. All else goes on without a
     * break. After a failure of one line, the others are served.
     *
     * @throws CommandException if the file cannot be read, or with all lines that failed
     */
    void update() throws CommandException, InterruptedException {
        Map<String, Integer> wanted = file.read();
        CommandException failure = null;
        for (String gone : List.copyOf(served.keySet())) {
            if (!wanted.containsKey(gone)) {
                failure = both(failure, end(gone));
            }
        }
        for (Map.Entry<String, Integer> line : wanted.entrySet()) {
            if (!served.containsKey(line.getKey())) {
                failure = both(failure, begin(line.getKey(), line.getValue()));
            }
        }
        if (failure != null) {
            throw failure;
        }
        if (served.isEmpty()) {
            throw new CommandFailure(
                    ExitStatus.USAGE, file.place(1) + ": there is no " + file.thing() + " in the file");
        }
    }

    private CommandException begin(String words, int line) throws InterruptedException {
        Set<String> made = new TreeSet<>();
        try {
            kind.begin(words, made);
        } catch (InterruptedException e) {
            throw e;
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
        for (String name : served.remove(words)) {
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
