package io.verbena.cli.internal.nfs.serve;

import io.verbena.cli.CliCommand;
import io.verbena.cli.internal.Mounts;
import io.verbena.cli.internal.ShellWords;
import io.verbena.cli.internal.complete.LocalPathCompleter;
import io.verbena.cli.internal.hosts.Fstab;
import io.verbena.nfs.Mount;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.apache.karaf.shell.api.action.Argument;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Completion;
import org.apache.karaf.shell.api.action.lifecycle.Reference;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.apache.karaf.shell.api.console.Session;
import org.apache.karaf.shell.support.CommandException;

/** Keeps the mounts of a file until it is interrupted. */
@Service
@Command(
        scope = "nfs",
        name = "mount-service",
        description = "Keeps the mounts that a file lists, until it is interrupted",
        detailedDescription =
                """
            Each line of the file has the words of nfs:mount for one mount, such as: -o port=20049 server:/docs docs; \
            or is a line of fstab of type nfs or nfs4. Lines that begin with # are left out.
            The signal HUP has the file read again: new lines are mounted, the mounts of lines that are gone end, all \
            others go on; where a line fails then, the reason is printed, the others are mounted, and no mount ends. \
            At the start, a line that fails ends the command, and all such lines are named. Ctrl-C or the signal \
            TERM ends all of them in order.
            A service manager is told by sd_notify(3) when all are mounted, of a reload, of the end, and of the state \
            in one line. 'verbena --state DIR mount-service FILE' runs this command, and the scripts of 'verbena \
            --state DIR -c' have its mounts.

            Example: nfs:mount-service /etc/verbena/mounts""")
public final class MountServiceCommand extends CliCommand {
    @Argument(name = "FILE", description = "The file of mounts", required = true)
    @Completion(LocalPathCompleter.class)
    private String file;

    @Reference
    private Mounts mounts;

    @Reference
    private Session session;

    @Override
    protected void run(PrintStream out) throws CommandException {
        Served served =
                new Served(new ServedMounts(), new LinesFile(invocation().path(file), "mounts"));
        if (new Foreground(served, new ServiceManager(invocation()), this::note).run()) {
            endByInterrupt();
        }
    }

    /**
     * Returns the command that mounts what a line asks for. A line of fstab is found again by its directory.
     *
     * @throws IllegalArgumentException if the line is neither of fstab nor words
     */
    static String command(String file, String line) {
        return Served.command(
                "nfs:mount --ensure",
                Fstab.line(line)
                        .map(found -> List.of("--fstab", file, found.directory()))
                        .orElseGet(() -> ShellWords.of(line)));
    }

    /** Mounts, made by {@code nfs:mount}. Those that an earlier run has left are taken over. */
    private final class ServedMounts implements Served.Kind {
        @Override
        public void begin(String words, Set<String> made) throws Exception {
            session.put(Mounts.LAST, null);
            try {
                Served.execute(session, command(file, words));
            } finally {
                if (session.get(Mounts.LAST) instanceof String name) {
                    made.add(name);
                }
            }
        }

        @Override
        public void end(String name) throws IOException, InterruptedException, CommandException {
            mounts.unmount(name);
        }

        @Override
        public String status(Set<String> names) {
            List<String> all = new ArrayList<>();
            for (Mount mount : mounts.all()) {
                if (names.contains(mount.name())) {
                    all.add(mount.name() + " of " + mount.source() + " ("
                            + mount.state().toString().toLowerCase(Locale.ROOT) + ")");
                }
            }
            return "mounted " + String.join(", ", all);
        }
    }
}
