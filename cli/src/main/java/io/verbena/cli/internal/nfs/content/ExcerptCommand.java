package io.verbena.cli.internal.nfs.content;

import io.verbena.cli.internal.MountedPath;
import io.verbena.cli.internal.Quantities;
import io.verbena.cli.internal.complete.RemotePathCompleter;
import io.verbena.cli.internal.nfs.command.RemoteCommand;
import java.io.IOException;
import java.io.PrintStream;
import java.util.List;
import org.apache.karaf.shell.api.action.Argument;
import org.apache.karaf.shell.api.action.Completion;
import org.apache.karaf.shell.api.action.Option;
import org.apache.karaf.shell.support.CommandException;

/** The base class of commands that print a part of each file. */
abstract class ExcerptCommand extends RemoteCommand {
    @Option(name = "-n", aliases = "--lines", description = "So many lines")
    private String lines = "10";

    @Option(name = "-c", aliases = "--bytes", description = "So many octets, not lines: 512, 64K, 1M")
    private String octets;

    @Argument(name = "PATH", description = "NAME:/path of a file", required = true, multiValued = true)
    @Completion(RemotePathCompleter.class)
    private List<String> paths;

    /**
     * The amount of each file to print.
     *
     * @param count the number of lines or octets
     * @param isLines whether the count is in lines; otherwise in octets
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

    /** Parses further options, and rejects invalid ones before anything is printed. */
    void prepare(List<MountedPath> files) throws CommandException {}

    /** Prints the requested part of one file. */
    abstract void print(MountedPath file, ContentReader reader, Amount amount, PrintStream out) throws IOException;
}
