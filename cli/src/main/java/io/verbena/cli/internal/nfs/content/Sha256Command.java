package io.verbena.cli.internal.nfs.content;

import io.verbena.cli.Listing;
import io.verbena.cli.internal.Locations;
import io.verbena.cli.internal.MountedPath;
import io.verbena.cli.internal.RemotePaths;
import io.verbena.cli.internal.complete.AnyPathCompleter;
import io.verbena.cli.internal.nfs.command.RemoteListingCommand;
import io.verbena.nfs.transfer.CopyEngine;
import io.verbena.nfs.transfer.Location;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import org.apache.karaf.shell.api.action.Argument;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Completion;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.apache.karaf.shell.support.CommandException;

/** Prints the SHA-256 of files. */
@Service
@Command(
        scope = "nfs",
        name = "sha256",
        description = "Prints the SHA-256 of files, remote or local",
        detailedDescription =
                """
            Prints what sha256sum(1) does: the digest, two spaces, the path. NAME:/path is remote, and so is :path, \
            seen from the current directory; everything else is local.

            Example: nfs:sha256 docs:/big.iso /srv/docs/big.iso""")
public final class Sha256Command extends RemoteListingCommand {
    @Argument(name = "PATH", description = "NAME:/path or a local path", required = true, multiValued = true)
    @Completion(AnyPathCompleter.class)
    private List<String> paths;

    /** A file and its digest. */
    private record Digest(Location file, String sha256) {}

    @Override
    protected void run(PrintStream out) throws IOException, InterruptedException, CommandException {
        CopyEngine engine = mounts().engine();
        Listing.Rows<Digest> rows = begin(
                new Listing<Digest>(Listing.Layout.STREAM)
                        .text("sha256", Digest::sha256)
                        .text("path", digest -> digest.file().toString()),
                out);
        try {
            for (String path : paths) {
                for (Location file : locations(path)) {
                    rows.add(new Digest(file, engine.sha256(file)));
                }
            }
        } finally {
            rows.flush();
        }
        rows.end();
    }

    private List<Location> locations(String path) throws IOException, CommandException {
        if (!RemotePaths.isRemote(path)) {
            return List.of(Locations.local(path, invocation()));
        }
        List<Location> locations = new ArrayList<>();
        for (MountedPath file : files(path)) {
            locations.add(Locations.remote(file.remote(), mounts()));
        }
        return locations;
    }
}
