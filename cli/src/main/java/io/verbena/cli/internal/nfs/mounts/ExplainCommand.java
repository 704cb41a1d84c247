package io.verbena.cli.internal.nfs.mounts;

import io.verbena.cli.Listing;
import io.verbena.cli.internal.MountedPath;
import io.verbena.cli.internal.complete.RemotePathCompleter;
import io.verbena.cli.internal.nfs.command.RemoteListingCommand;
import io.verbena.nfs.MountExplanation;
import java.io.IOException;
import java.io.PrintStream;
import org.apache.karaf.shell.api.action.Argument;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Completion;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.apache.karaf.shell.support.CommandException;

/** Explains how the data of a file is transferred, and why. */
@Service
@Command(
        scope = "nfs",
        name = "explain",
        description = "Tells how a file's data travels, inline or by chunks, what limits it, and why",
        detailedDescription =
                """
            Which provider and version carry the mount and why; how a READ and a WRITE of the file would travel now, \
            or the listing of a directory; and which of slots, credits, the file's size or the window keeps more from \
            being under way. The transport tells it by the same code that decides it.

            Example: nfs:explain docs:/big.iso
                     nfs:explain docs /big.iso""")
public final class ExplainCommand extends RemoteListingCommand {
    private static final int REASON_WIDTH = 72;

    @Argument(name = "NAME:/PATH", description = "The file or directory; or the mount's name alone", required = true)
    @Completion(RemotePathCompleter.class)
    private String name;

    @Argument(index = 1, name = "PATH", description = "The path, behind a mount's name")
    private String path;

    @Override
    protected void run(PrintStream out) throws IOException, CommandException {
        MountedPath file = fileOrRoot(path == null ? name : name + (name.endsWith(":") ? "" : ":") + path);
        Listing<MountExplanation> listing = new Listing<MountExplanation>(Listing.Layout.TABLE)
                .text("Subject", MountExplanation::subject)
                .wrapped("Answer", REASON_WIDTH / 2, MountExplanation::answer)
                .wrapped("Reason", REASON_WIDTH, MountExplanation::reason);
        print(listing, file.explain(), out);
    }
}
