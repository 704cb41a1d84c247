package io.verbena.cli.internal.nfs.command;

import io.verbena.cli.internal.MountedPath;
import io.verbena.cli.internal.complete.RemotePathCompleter;
import io.verbena.nfs.AttributeChanges;
import io.verbena.nfs.Mount;
import io.verbena.nfs.MountReplacedException;
import io.verbena.nfs.RemoteFile;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.karaf.shell.api.action.Argument;
import org.apache.karaf.shell.api.action.Completion;
import org.apache.karaf.shell.api.action.Option;
import org.apache.karaf.shell.support.CommandException;

/** The base class of commands that set attributes of files, and create missing files. */
public abstract class MakingCommand extends RemoteCommand {
    private static final int MODE = 0_644;
    private static final Set<StandardOpenOption> NEW = Set.of(StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW);
    private static final Set<StandardOpenOption> ANY = Set.of(StandardOpenOption.WRITE, StandardOpenOption.CREATE);

    @Option(name = "-c", aliases = "--no-create", description = "Makes no file")
    private boolean noCreate;

    @Argument(name = "PATH", description = "NAME:/path of a file", required = true, multiValued = true)
    @Completion(RemotePathCompleter.class)
    private List<String> paths;

    @Override
    protected final void run(PrintStream out) throws IOException, CommandException {
        AttributeChanges changes = changes();
        for (MountedPath file : files(paths)) {
            boolean isThere = file.find(true).isPresent();
            if (isThere || !noCreate) {
                set(file, changes, !isThere && create(file));
            }
        }
    }

    private static void set(MountedPath file, AttributeChanges changes, boolean isNew) throws IOException {
        try {
            file.run((mount, path) -> mount.setAttributes(path, changes));
        } catch (IOException e) {
            if (isNew) {
                remove(file, e);
            }
            throw e;
        }
    }

    private static void remove(MountedPath file, IOException reason) {
        try {
            file.run(Mount::remove);
        } catch (IOException e) {
            reason.addSuppressed(e);
        }
    }

    /** Returns the attributes to set. */
    public abstract AttributeChanges changes();

    /**
     * Creates an empty file. Returns false if the file may belong to another process: that process was faster, or a
     * link leads to the file.
     */
    private static boolean create(MountedPath file) throws IOException {
        try {
            open(file, NEW);
            return true;
        } catch (IOException e) {
            open(file, ANY);
            return false;
        }
    }

    /** Opens and closes the file. If the mount is replaced in between, the file is not opened again. */
    private static void open(MountedPath file, Set<StandardOpenOption> options) throws IOException {
        AtomicReference<RemoteFile> opened = new AtomicReference<>();
        file.run((mount, path) -> opened.set(mount.open(path, options, MODE)));
        try {
            opened.get().close();
        } catch (MountReplacedException e) {
            // The mount has closed the file, to which nothing was written.
        }
    }
}
