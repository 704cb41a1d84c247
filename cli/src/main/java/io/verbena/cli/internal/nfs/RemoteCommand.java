package io.verbena.cli.internal.nfs;

import io.verbena.cli.CliCommand;
import io.verbena.cli.internal.MountedPath;
import io.verbena.cli.internal.Mounts;
import io.verbena.cli.internal.RemotePaths;
import java.io.IOException;
import java.util.List;
import org.apache.karaf.shell.api.action.lifecycle.Reference;
import org.apache.karaf.shell.api.console.Session;
import org.apache.karaf.shell.support.CommandException;

/** What commands about files of mounts have in common: paths as users write them. */
abstract class RemoteCommand extends CliCommand {
    @Reference
    private Mounts mounts;

    @Reference
    private Session session;

    final Mounts mounts() {
        return mounts;
    }

    final Session session() {
        return session;
    }

    /** See {@link RemotePaths#one}. */
    final MountedPath file(String path) throws CommandException {
        return RemotePaths.one(path, session, mounts);
    }

    /** See {@link RemotePaths#expand(String, Session, Mounts)}. */
    final List<MountedPath> files(String path) throws IOException, CommandException {
        return RemotePaths.expand(path, session, mounts);
    }

    /** As {@link #files(String)}, of several in their order. */
    final List<MountedPath> files(List<String> paths) throws IOException, CommandException {
        return RemotePaths.expand(paths, session, mounts);
    }
}
