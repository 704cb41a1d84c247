package io.verbena.cli.internal.nfs.serve;

import io.verbena.cli.CliCommand;
import io.verbena.cli.internal.Exports;
import io.verbena.cli.internal.ShellWords;
import io.verbena.cli.internal.complete.LocalPathCompleter;
import io.verbena.nfs.Export;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.karaf.shell.api.action.Argument;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Completion;
import org.apache.karaf.shell.api.action.lifecycle.Reference;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.apache.karaf.shell.api.console.Session;
import org.apache.karaf.shell.support.CommandException;

/** Serves the exports of a file until it is interrupted. */
@Service
@Command(
        scope = "nfs",
        name = "serve",
        description = "Serves the exports that a file lists, until it is interrupted",
        detailedDescription =
                """
            Each line of the file has the words of nfs:export for one export, such as: --port 20049 --name docs \
            /srv/docs. Lines that begin with # are left out.
            The signal HUP has the file read again: new lines are exported, the exports of lines that are gone end, \
            all others go on; where a line fails then, the reason is printed, the others are served, and no export \
            ends. At the start, a line that fails ends the command, and all such lines are named. Ctrl-C or the \
            signal TERM ends all of them in order.
            A service manager is told by sd_notify(3) when all exports listen, of a reload, of the end, and of the \
            state in one line. 'verbena serve DIR' runs this command for one directory.

            Example: nfs:serve /etc/verbena/exports""")
public final class ServeCommand extends CliCommand {
    @Argument(name = "FILE", description = "The file of exports", required = true)
    @Completion(LocalPathCompleter.class)
    private String file;

    @Reference
    private Exports exports;

    @Reference
    private Session session;

    @Override
    protected void run(PrintStream out) throws CommandException {
        Served served =
                new Served(new ServedExports(), new LinesFile(invocation().path(file), "exports"));
        if (new Foreground(served, new ServiceManager(invocation()), this::note).run()) {
            endByInterrupt();
        }
    }

    /** Exports, made by {@code nfs:export}. */
    private final class ServedExports implements Served.Kind {
        @Override
        public void begin(String words, Set<String> made) throws Exception {
            Set<String> before = names();
            try {
                Served.execute(session, Served.command("nfs:export", ShellWords.of(words)));
            } finally {
                made.addAll(names());
                made.removeAll(before);
            }
        }

        private Set<String> names() {
            return exports.all().stream().map(Export::name).collect(Collectors.toSet());
        }

        @Override
        public void end(String name) throws IOException, InterruptedException, CommandException {
            exports.unexport(name);
        }

        @Override
        public String status(Set<String> names) {
            List<String> all = new ArrayList<>();
            for (Export export : exports.all()) {
                if (names.contains(export.name())) {
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
}
