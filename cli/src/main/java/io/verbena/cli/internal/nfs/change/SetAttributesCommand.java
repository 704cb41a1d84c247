package io.verbena.cli.internal.nfs.change;

import io.verbena.cli.CommandFailure;
import io.verbena.cli.ExitStatus;
import io.verbena.cli.internal.FileMode;
import io.verbena.cli.internal.MountedPath;
import io.verbena.cli.internal.Quantities;
import io.verbena.cli.internal.complete.RemotePathCompleter;
import io.verbena.cli.internal.nfs.command.RemoteCommand;
import io.verbena.nfs.AttributeChanges;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Instant;
import java.util.List;
import org.apache.karaf.shell.api.action.Argument;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Completion;
import org.apache.karaf.shell.api.action.Option;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.apache.karaf.shell.support.CommandException;

/** Sets several attributes of files at once. */
@Service
@Command(
        scope = "nfs",
        name = "setattr",
        description = "Sets attributes of files of a mount",
        detailedDescription =
                """
            All that are named go in one SETATTR for each file. Times are like 2026-01-31, 2026-01-31T12:00:00Z, now, \
            or 3d for three days ago.

            Example: nfs:setattr --mode 640 --group 100 --mtime 2026-01-31 docs:/a.txt""")
public final class SetAttributesCommand extends RemoteCommand {
    @Option(name = "--mode", description = "Octal like 644, or changes like u+rwx,go-w")
    private String mode;

    @Option(name = "--owner", description = "A number or user@domain")
    private String owner;

    @Option(name = "--group", description = "A number or group@domain")
    private String group;

    @Option(name = "--size", description = "Octets, or K, M, G: shorter truncates, longer leaves a hole")
    private String size;

    @Option(name = "--atime", description = "The time of the last access")
    private String accessed;

    @Option(name = "--mtime", description = "The time of modification")
    private String modified;

    @Argument(name = "PATH", description = "NAME:/path", required = true, multiValued = true)
    @Completion(RemotePathCompleter.class)
    private List<String> paths;

    @Override
    protected void run(PrintStream out) throws IOException, CommandException {
        Instant now = Instant.now();
        AttributeChanges changes = new AttributeChanges(
                null,
                owner,
                group,
                size == null ? null : Quantities.octets("--size", size),
                accessed == null ? null : Quantities.time("--atime", accessed, now),
                modified == null ? null : Quantities.time("--mtime", modified, now));
        FileMode newMode = mode == null ? null : FileMode.parse(mode);
        if (newMode == null && changes.equals(AttributeChanges.NONE)) {
            throw new CommandFailure(
                    ExitStatus.USAGE,
                    "nfs:setattr wants something to set: --mode, --owner, --group, --size, --atime or --mtime");
        }
        for (MountedPath file : files(paths)) {
            AttributeChanges all = newMode == null ? changes : changes.withMode(newMode.apply(file));
            file.run((mount, path) -> mount.setAttributes(path, all));
        }
    }
}
