package io.verbena.cli.internal.nfs;

import io.verbena.cli.ListingCommand;
import io.verbena.cli.internal.MountedPath;
import io.verbena.cli.internal.Mounts;
import io.verbena.cli.internal.RemotePaths;
import java.io.IOException;
import java.util.List;
import org.apache.karaf.shell.api.action.lifecycle.Reference;
import org.apache.karaf.shell.api.console.Session;
import org.apache.karaf.shell.support.CommandException;

/** As {@link RemoteCommand}, of commands that print lists. */
abstract class RemoteListingCommand extends ListingCommand {
    private static final List<String> HERE = List.of(".");

    @Reference
    private Mounts mounts;

    @Reference
    private Session session;

    /** See {@link RemotePaths#oneOrRoot}. */
    final MountedPath fileOrRoot(String path) throws CommandException {
        return RemotePaths.oneOrRoot(path, session, mounts);
    }

    /** See {@link RemotePaths#expand(String, Session, Mounts)}. */
    final List<MountedPath> files(String path) throws IOException, CommandException {
        return RemotePaths.expand(path, session, mounts);
    }

    /** As {@link #files(String)}, of several in their order. */
    final List<MountedPath> files(List<String> paths) throws IOException, CommandException {
        return RemotePaths.expand(paths, session, mounts);
    }

    /** The paths given, or the current directory where there is none. */
    static List<String> orHere(List<String> paths) {
        return paths == null ? HERE : paths;
    }
}
