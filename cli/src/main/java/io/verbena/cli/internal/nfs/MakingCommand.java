package io.verbena.cli.internal.nfs;

import io.verbena.cli.internal.MountedPath;
import io.verbena.cli.internal.complete.RemotePathCompleter;
import io.verbena.nfs.AttributeChanges;
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

    @Option(name = "-c", aliases = "--no-create", description = "Makes no file")
    private boolean noCreate;

    @Argument(name = "PATH", description = "NAME:/path of a file", required = true, multiValued = true)
    @Completion(RemotePathCompleter.class)
    private List<String> paths;

    @Override
    protected final void run(PrintStream out) throws IOException, CommandException {
        AttributeChanges changes = changes();
        for (MountedPath file : files(paths)) {
            if (file.find(true).isEmpty()) {
                if (noCreate) {
                    continue;
                }
                create(file);
            }
            file.run((mount, path) -> mount.setAttributes(path, changes));
        }
    }

    /** What is set. */
    abstract AttributeChanges changes();

    /** Makes an empty file, unless somebody else just has. */
    private static void create(MountedPath file) throws IOException {
        file.run((mount, path) -> mount.open(path, Set.of(StandardOpenOption.WRITE, StandardOpenOption.CREATE), MODE)
                .close());
    }
}
