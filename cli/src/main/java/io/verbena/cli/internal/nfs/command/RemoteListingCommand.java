package io.verbena.cli.internal.nfs.command;

import io.verbena.cli.ListingCommand;
import io.verbena.cli.internal.MountedPath;
import io.verbena.cli.internal.Mounts;
import io.verbena.cli.internal.RemotePaths;
import java.io.IOException;
import java.util.List;
import org.apache.karaf.shell.api.action.lifecycle.Reference;
import org.apache.karaf.shell.api.console.Session;
import org.apache.karaf.shell.support.CommandException;

/** The base class of commands that list files of mounts. It parses paths as {@link RemoteCommand} does. */
public abstract class RemoteListingCommand extends ListingCommand {
    private static final List<String> HERE = List.of(".");

    @Reference
    private Mounts mounts;

    @Reference
    private Session session;

    public final Mounts mounts() {
        return mounts;
    }

    /** See {@link RemotePaths#oneOrRoot}. */
    public final MountedPath fileOrRoot(String path) throws CommandException {
        return RemotePaths.oneOrRoot(path, session, mounts);
    }

    /** See {@link RemotePaths#expand(String, Session, Mounts)}. */
    public final List<MountedPath> files(String path) throws IOException, CommandException {
        return RemotePaths.expand(path, session, mounts);
    }

    /** Expands several paths as {@link #files(String)} does, in their order. */
    public final List<MountedPath> files(List<String> paths) throws IOException, CommandException {
        return RemotePaths.expand(paths, session, mounts);
    }

    /** Returns the given paths, or the current directory if there is none. */
    public static List<String> orHere(List<String> paths) {
        return paths == null ? HERE : paths;
    }
}
