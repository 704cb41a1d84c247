package io.verbena.cli.internal.nfs;

import io.verbena.cli.internal.MountedPath;
import io.verbena.cli.internal.complete.RemotePathCompleter;
import io.verbena.nfs.AttributeChanges;
import io.verbena.nfs.Mount;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Set;
import org.apache.karaf.shell.api.action.Argument;
import org.apache.karaf.shell.api.action.Completion;
import org.apache.karaf.shell.api.action.Option;
import org.apache.karaf.shell.support.CommandException;

/** What the commands have in common that set something of files, and make those that are not there. */
abstract class MakingCommand extends RemoteCommand {
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

    /** What is set. */
    abstract AttributeChanges changes();

    /** Makes an empty file; false where it may be another's: somebody was quicker, or a link leads there. */
    private static boolean create(MountedPath file) throws IOException {
        try {
            file.run((mount, path) -> mount.open(path, NEW, MODE).close());
            return true;
        } catch (IOException e) {
            file.run((mount, path) -> mount.open(path, ANY, MODE).close());
            return false;
        }
    }
}
