package io.verbena.cli.internal.nfs;

import io.verbena.cli.CliCommand;
import io.verbena.cli.internal.MountedPath;
import io.verbena.cli.internal.Mounts;
import io.verbena.cli.internal.Quantities;
import io.verbena.cli.internal.RemotePaths;
import io.verbena.cli.internal.complete.RemotePathCompleter;
import io.verbena.nfs.AttributeChanges;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.apache.karaf.shell.api.action.Argument;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Completion;
import org.apache.karaf.shell.api.action.Option;
import org.apache.karaf.shell.api.action.lifecycle.Reference;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.apache.karaf.shell.api.console.Session;
import org.apache.karaf.shell.support.CommandException;

/** Sets times, and makes empty files. */
@Service
@Command(
        scope = "nfs",
        name = "touch",
        description = "Sets files' times to now, and makes those that are not there",
        detailedDescription =
                """
            Both of the last access and of modification; nfs:setattr sets them apart.

            Example: nfs:touch docs:/done
                     nfs:touch -c -d 2026-01-31T12:00:00Z 'docs:/*.csv'""")
public final class TouchCommand extends CliCommand {
    private static final int MODE = 0_644;

    @Option(name = "-c", aliases = "--no-create", description = "Makes no file")
    private boolean noCreate;

    @Option(name = "-d", aliases = "--date", description = "That time: 2026-01-31T12:00:00Z, 2026-01-31, 3d ago as 3d")
    private String date = "now";

    @Argument(name = "PATH", description = "NAME:/path of a file", required = true, multiValued = true)
    @Completion(RemotePathCompleter.class)
    private List<String> paths;

    @Reference
    private Mounts mounts;

    @Reference
    private Session session;

    @Override
    protected void run(PrintStream out) throws IOException, CommandException {
        Instant time = Quantities.time("-d", date, Instant.now());
        AttributeChanges times = AttributeChanges.NONE.withTimes(time, time);
        for (MountedPath file : RemotePaths.expand(paths, session, mounts)) {
            if (file.find(true).isEmpty()) {
                if (noCreate) {
                    continue;
                }
                create(file);
            }
            file.run((mount, path) -> mount.setAttributes(path, times));
        }
    }

    /** Makes an empty file, unless somebody else just has. */
    static void create(MountedPath file) throws IOException {
        file.run((mount, path) -> mount.open(path, Set.of(StandardOpenOption.WRITE, StandardOpenOption.CREATE), MODE)
                .close());
    }
}
