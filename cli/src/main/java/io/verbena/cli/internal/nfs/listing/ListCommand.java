package io.verbena.cli.internal.nfs.listing;

import io.verbena.cli.CommandFailure;
import io.verbena.cli.ExitStatus;
import io.verbena.cli.Failures;
import io.verbena.cli.Listing;
import io.verbena.cli.Text;
import io.verbena.cli.internal.MountedPath;
import io.verbena.cli.internal.complete.RemotePathCompleter;
import io.verbena.cli.internal.nfs.command.FileRow;
import io.verbena.cli.internal.nfs.command.RemoteListingCommand;
import io.verbena.nfs.DirectoryEntry;
import io.verbena.nfs.FileAttributes;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import org.apache.karaf.shell.api.action.Argument;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Completion;
import org.apache.karaf.shell.api.action.Option;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.apache.karaf.shell.support.CommandException;

/** Lists files. */
@Service
@Command(
        scope = "nfs",
        name = "ls",
        description = "Lists files of a mount",
        detailedDescription =
                """
            By name; -l adds mode, links, owner, group, size in octets and the time of modification in UTC. --json \
            tells all attributes. Names may be patterns like '*.csv', in quotes at the prompt.

            Example: nfs:ls -l -h docs:/
                     nfs:ls -a docs:/ 'docs:/with a space'""")
public final class ListCommand extends RemoteListingCommand {
    @Option(name = "-l", description = "Long: with attributes")
    private boolean isLong;

    @Option(name = "-a", description = "All: names too that begin with a dot")
    private boolean all;

    private int badEntries;

    @Argument(name = "PATH", description = "Files or directories; else the current one", multiValued = true)
    @Completion(RemotePathCompleter.class)
    private List<String> paths;

    @Override
    protected void run(PrintStream out) throws IOException, CommandException {
        List<MountedPath> directories = new ArrayList<>();
        List<FileRow> files = new ArrayList<>();
        for (String path : orHere(paths)) {
            for (MountedPath mounted : files(path)) {
                FileAttributes attributes = mounted.attributes(!isLong || path.endsWith("/"));
                if (attributes.isDirectory()) {
                    directories.add(mounted);
                } else {
                    files.add(row(mounted, mounted.toString(), attributes));
                }
            }
        }
        if (isJson()) {
            printOneList(files, directories, out);
        } else {
            printByDirectory(files, directories, out);
        }
        if (badEntries > 0) {
            throw new CommandFailure(
                    ExitStatus.PARTIAL,
                    badEntries + (badEntries == 1 ? " entry" : " entries") + " could not be read: see above");
        }
    }

    private void printOneList(List<FileRow> files, List<MountedPath> directories, PrintStream out) throws IOException {
        Listing.Rows<FileRow> rows = begin(listing(), out);
        for (FileRow file : files) {
            rows.add(file);
        }
        for (MountedPath directory : directories) {
            add(directory, rows);
        }
        rows.end();
    }

    private void printByDirectory(List<FileRow> files, List<MountedPath> directories, PrintStream out)
            throws IOException {
        print(listing(), files, out);
        boolean isFirst = files.isEmpty();
        for (MountedPath directory : directories) {
            if (files.size() + directories.size() > 1) {
                out.print((isFirst ? "" : System.lineSeparator()) + directory + ":" + System.lineSeparator());
                isFirst = false;
            }
            Listing.Rows<FileRow> rows = begin(listing(), out);
            add(directory, rows);
            rows.end();
        }
    }

    private void add(MountedPath directory, Listing.Rows<FileRow> rows) throws IOException {
        boolean attributes = isLong || isJson();
        for (DirectoryEntry entry : attributes ? directory.list(this::tell) : directory.names(this::tell)) {
            if (entry.failure().isPresent()) {
                tell(Failures.about(
                        directory.child(entry.name()).toString(),
                        entry.failure().get()));
            } else if (all || !entry.name().startsWith(".")) {
                rows.add(row(directory.child(entry.name()), Text.name(entry.name()), entry.attributes()));
            }
        }
    }

    private void tell(IOException badEntry) {
        errorLines().tell(badEntry);
        badEntries++;
    }

    /** Returns the row of a file. A short list shows no targets of links, and does not read them. */
    private FileRow row(MountedPath path, String shown, FileAttributes attributes) throws IOException {
        return isLong || isJson()
                ? FileRow.withTarget(path, shown, attributes)
                : new FileRow(path, shown, attributes, null);
    }

    private Listing<FileRow> listing() {
        Listing<FileRow> listing = new Listing<>(Listing.Layout.LINES);
        if (isLong) {
            listing.shown("mode", 0, FileRow::modeText)
                    .shownCount("links", row -> (long) row.attributes().linkCount())
                    .shown("owner", 0, row -> row.attributes().owner())
                    .shown("group", 0, row -> row.attributes().group())
                    .shownOctets("size", row -> row.attributes().size())
                    .shown("modified", 0, row -> Text.time(row.attributes().modified()));
        }
        listing.shown("name", 0, row -> row.shown() + (row.target() == null ? "" : " -> " + row.target()));
        return FileRow.members(listing);
    }
}
