package io.verbena.cli.internal.nfs.command;

import io.verbena.cli.CliCommand;
import io.verbena.cli.internal.MountedPath;
import io.verbena.cli.internal.Mounts;
import io.verbena.cli.internal.RemotePaths;
import java.io.IOException;
import java.util.List;
import org.apache.karaf.shell.api.action.lifecycle.Reference;
import org.apache.karaf.shell.api.console.Session;
import org.apache.karaf.shell.support.CommandException;

/** The base class of commands for files of mounts. It parses paths as users write them. */
public abstract class RemoteCommand extends CliCommand {
    @Reference
    private Mounts mounts;

    @Reference
    private Session session;

    public final Mounts mounts() {
        return mounts;
    }

    public final Session session() {
        return session;
    }

    /** See {@link RemotePaths#one}. */
    public final MountedPath file(String path) throws CommandException {
        return RemotePaths.one(path, session, mounts);
    }

    /** See {@link RemotePaths#expand(String, Session, Mounts)}. */
    public final List<MountedPath> files(String path) throws IOException, CommandException {
        return RemotePaths.expand(path, session, mounts);
    }

    /** Expands several paths as {@link #files(String)} does, in their order. */
    public final List<MountedPath> files(List<String> paths) throws IOException, CommandException {
        return RemotePaths.expand(paths, session, mounts);
    }
}
