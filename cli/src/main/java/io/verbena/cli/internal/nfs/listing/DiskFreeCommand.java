package io.verbena.cli.internal.nfs.listing;

import io.verbena.cli.Listing;
import io.verbena.cli.ListingCommand;
import io.verbena.cli.internal.MountedPath;
import io.verbena.cli.internal.Mounts;
import io.verbena.cli.internal.RemotePath;
import io.verbena.cli.internal.complete.MountNameCompleter;
import io.verbena.nfs.FileSystemStatus;
import io.verbena.nfs.Mount;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import org.apache.karaf.shell.api.action.Argument;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Completion;
import org.apache.karaf.shell.api.action.lifecycle.Reference;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.apache.karaf.shell.support.CommandException;

/** Shows the space on mounts. */
@Service
@Command(
        scope = "nfs",
        name = "df",
        description = "Shows the room on mounts",
        detailedDescription =
                """
            In octets, -h in larger units; of all mounts where none is named.

            Example: nfs:df docs
                     nfs:df -h""")
public final class DiskFreeCommand extends ListingCommand {
    @Argument(name = "NAME", description = "A mount's name", multiValued = true)
    @Completion(MountNameCompleter.class)
    private List<String> names;

    @Reference
    private Mounts mounts;

    /** A mount, and the space on its file system. */
    private record Room(Mount mount, FileSystemStatus status) {}

    @Override
    protected void run(PrintStream out) throws IOException, CommandException {
        List<Room> rooms = new ArrayList<>();
        for (Mount mount : mounts()) {
            rooms.add(new Room(
                    mount, new MountedPath(mounts, mount, new RemotePath(mount.name(), "/")).fileSystemStatus()));
        }
        print(listing(), rooms, out);
    }

    private static Listing<Room> listing() {
        return new Listing<Room>(Listing.Layout.TABLE, "nothing is mounted")
                .text("Name", room -> room.mount.name())
                .octets("Octets", room -> room.status.totalBytes())
                .octets("Used", room -> room.status.totalBytes() - room.status.freeBytes())
                .octets("Available", room -> room.status.availableBytes())
                .count("Files", room -> room.status.totalFiles())
                .count("Free files", room -> room.status.freeFiles())
                .text("Source", room -> room.mount.source());
    }

    private List<Mount> mounts() throws CommandException {
        if (names == null) {
            return mounts.all();
        }
        List<Mount> named = new ArrayList<>();
        for (String name : names) {
            int colon = name.indexOf(':'); // docs, docs: and docs:/ name the same mount
            named.add(mounts.get(colon < 0 ? name : name.substring(0, colon)));
        }
        return named;
    }
}
