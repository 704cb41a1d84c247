package io.verbena.cli.internal.nfs.serve;

import io.verbena.cli.CommandFailure;
import io.verbena.cli.ExitStatus;
import io.verbena.cli.Failures;
import io.verbena.cli.internal.Exports;
import io.verbena.nfs.Export;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.karaf.shell.support.CommandException;

/** The exports that a file asks for. One thread uses it. */
final class ServedExports {
    /** Runs {@code nfs:export} with the words of a line. */
    interface Command {
        void export(String words) throws Exception;
    }

    private final Exports exports;
    private final ExportsFile file;
    private final Command command;

    /** The names of the exports that each line of the file made. */
    private final Map<String, Set<String>> served = new LinkedHashMap<>();

    ServedExports(Exports exports, ExportsFile file, Command command) {
        this.exports = exports;
        this.file = file;
        this.command = command;
    }

    /**
     * Exports what new lines of the file ask for, and ends the exports of lines that are gone. Other exports go on
     * without a break. After a failure of one line, the exports of the other lines are there.
     *
     * @throws CommandException if the file cannot be read, or with the first line that failed
     */
    void update() throws CommandException, InterruptedException {
        Map<String, Integer> wanted = file.read();
        CommandException failure = null;
        for (String gone : List.copyOf(served.keySet())) {
            if (!wanted.containsKey(gone)) {
                failure = first(failure, end(gone));
            }
        }
        for (Map.Entry<String, Integer> line : wanted.entrySet()) {
            if (!served.containsKey(line.getKey())) {
                failure = first(failure, begin(line.getKey(), line.getValue()));
            }
        }
        if (failure != null) {
            throw failure;
        }
        if (served.isEmpty()) {
            throw new CommandFailure(ExitStatus.USAGE, file.place(1) + ": there is no export in the file");
        }
    }

    private CommandException begin(String words, int line) throws InterruptedException {
        Set<String> before = names();
        try {
            command.export(words);
        } catch (InterruptedException e) {
            throw e;
        } catch (Exception e) {
            return new CommandFailure(ExitStatus.of(e), file.place(line) + ": " + e.getMessage(), e);
        } finally {
            Set<String> made = names();
            made.removeAll(before);
            if (!made.isEmpty()) {
                served.put(words, made);
            }
        }
        return null;
    }

    /** Ends all exports. */
    void end() throws CommandException, InterruptedException {
        CommandException failure = null;
        for (String words : List.copyOf(served.keySet())) {
            failure = first(failure, end(words));
        }
        if (failure != null) {
            throw failure;
        }
    }

    private CommandException end(String words) throws InterruptedException {
        CommandException failure = null;
        for (String name : served.remove(words)) {
            try {
                exports.unexport(name);
            } catch (IOException | CommandException e) {
                if (ExitStatus.of(e) != ExitStatus.NOT_FOUND) { // somebody has ended the export before
                    failure = first(failure, Failures.of(e));
                }
            }
        }
        return failure;
    }

    private static CommandException first(CommandException one, CommandException next) {
        return one == null ? next : one;
    }

    private Set<String> names() {
        return exports.all().stream().map(Export::name).collect(Collectors.toCollection(TreeSet::new));
    }

    /** Returns one line that names the exports and their addresses. */
    String status() {
        List<String> all = new ArrayList<>();
        for (Export export : exports.all()) {
            if (served.values().stream().anyMatch(names -> names.contains(export.name()))) {
                all.add(export.name()
                        + export.localAddress()
                                .map(address ->
                                        " at " + address.getAddress().getHostAddress() + ":" + address.getPort())
                                .orElse(" (not listening)"));
            }
        }
        return "serving " + String.join(", ", all);
    }
}
