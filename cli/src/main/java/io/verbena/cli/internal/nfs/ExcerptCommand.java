package io.verbena.cli.internal.nfs;

import io.verbena.cli.internal.MountedPath;
import io.verbena.cli.internal.Quantities;
import io.verbena.cli.internal.complete.RemotePathCompleter;
import java.io.IOException;
import java.io.PrintStream;
import java.util.List;
import org.apache.karaf.shell.api.action.Argument;
import org.apache.karaf.shell.api.action.Completion;
import org.apache.karaf.shell.api.action.Option;
import org.apache.karaf.shell.support.CommandException;

/** What the commands that print a part of each file have in common. */
abstract class ExcerptCommand extends RemoteCommand {
    @Option(name = "-n", aliases = "--lines", description = "So many lines")
    private String lines = "10";

    @Option(name = "-c", aliases = "--bytes", description = "So many octets, not lines: 512, 64K, 1M")
    private String octets;

    @Argument(name = "PATH", description = "NAME:/path of a file", required = true, multiValued = true)
    @Completion(RemotePathCompleter.class)
    private List<String> paths;

    /**
     * How much of each file is wanted.
     *
     * @param isLines whether it is lines, else octets
     */
    record Amount(long count, boolean isLines) {}

    @Override
    protected final void run(PrintStream out) throws IOException, CommandException {
        Amount amount = octets == null
                ? new Amount(Quantities.number("-n", lines), true)
                : new Amount(Quantities.octets("-c", octets), false);
        List<MountedPath> files = files(paths);
        prepare(files);
        String gap = "";
        for (MountedPath file : files) {
            if (files.size() > 1) {
                out.print(gap + "==> " + file + " <==\n");
                gap = "\n";
            }
            try (ContentReader reader = new ContentReader(file)) {
                print(file, reader, amount, out);
            }
        }
    }

    /** Reads further options, and refuses what makes no sense, before anything is printed. */
    void prepare(List<MountedPath> files) throws CommandException {}

    /** Prints what is wanted of one. */
    abstract void print(MountedPath file, ContentReader reader, Amount amount, PrintStream out) throws IOException;
}
