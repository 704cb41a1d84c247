package io.verbena.cli.internal.nfs.listing;

import io.verbena.cli.Listing;
import io.verbena.cli.internal.MountedPath;
import io.verbena.cli.internal.complete.RemotePathCompleter;
import io.verbena.cli.internal.nfs.command.FileRow;
import io.verbena.cli.internal.nfs.command.RemoteListingCommand;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import org.apache.karaf.shell.api.action.Argument;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Completion;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.apache.karaf.shell.support.CommandException;

/** Shows the attributes of files. */
@Service
@Command(
        scope = "nfs",
        name = "stat",
        description = "Shows all attributes of files of a mount",
        detailedDescription =
                """
            Of a symbolic link its own. Sizes are octets, times UTC.

            Example: nfs:stat docs:/README.txt""")
public final class StatCommand extends RemoteListingCommand {
    @Argument(name = "PATH", description = "NAME:/path", required = true, multiValued = true)
    @Completion(RemotePathCompleter.class)
    private List<String> paths;

    @Override
    protected void run(PrintStream out) throws IOException, CommandException {
        List<FileRow> rows = new ArrayList<>();
        for (MountedPath file : files(paths)) {
            rows.add(FileRow.withTarget(file, file.toString(), file.attributes(false)));
        }
        print(listing(), rows, out);
    }

    private static Listing<FileRow> listing() {
        Listing<FileRow> listing = new Listing<FileRow>(Listing.Layout.DETAILS)
                .shown("path", 0, FileRow::shown)
                .shown("type", 0, FileRow::type)
                .shown("target", 0, FileRow::target)
                .shownOctets("size", row -> row.attributes().size())
                .shownOctets("space-used", row -> row.attributes().spaceUsed())
                .shown("mode", 0, row -> row.octalMode() + " " + row.modeText())
                .shown("links", 0, row -> Integer.toString(row.attributes().linkCount()))
                .shown("owner", 0, row -> row.attributes().owner())
                .shown("group", 0, row -> row.attributes().group())
                .shown("modified", 0, row -> row.attributes().modified().toString())
                .shown("accessed", 0, row -> row.attributes().accessed().toString())
                .shown("changed", 0, row -> row.attributes().changed().toString())
                .shown("fsid", 0, FileRow::fileSystemId)
                .shown(
                        "fileid",
                        0,
                        row -> Long.toUnsignedString(row.attributes().fileId()))
                .shown(
                        "change",
                        0,
                        row -> Long.toUnsignedString(row.attributes().change()));
        return FileRow.members(listing);
    }
}
