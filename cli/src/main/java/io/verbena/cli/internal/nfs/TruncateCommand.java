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
import java.util.List;
import org.apache.karaf.shell.api.action.Argument;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Completion;
import org.apache.karaf.shell.api.action.Option;
import org.apache.karaf.shell.api.action.lifecycle.Reference;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.apache.karaf.shell.api.console.Session;
import org.apache.karaf.shell.support.CommandException;

/** Sets sizes. */
@Service
@Command(
        scope = "nfs",
        name = "truncate",
        description = "Makes files of a mount shorter or longer",
        detailedDescription =
                """
            What is behind the new end is lost; what is added is a hole. A file that is not there is made.

            Example: nfs:truncate -s 0 docs:/app.log
                     nfs:truncate -s 10G docs:/disk.img""")
public final class TruncateCommand extends CliCommand {
    @Option(name = "-s", aliases = "--size", description = "To that size: 512, 64K, 1M, 10G", required = true)
    private String size;

    @Option(name = "-c", aliases = "--no-create", description = "Makes no file")
    private boolean noCreate;

    @Argument(name = "PATH", description = "NAME:/path of a file", required = true, multiValued = true)
    @Completion(RemotePathCompleter.class)
    private List<String> paths;

    @Reference
    private Mounts mounts;

    @Reference
    private Session session;

    @Override
    protected void run(PrintStream out) throws IOException, CommandException {
        AttributeChanges change = AttributeChanges.NONE.withSize(Quantities.octets("-s", size));
        for (MountedPath file : RemotePaths.expand(paths, session, mounts)) {
            if (file.find(true).isEmpty()) {
                if (noCreate) {
                    continue;
                }
                TouchCommand.create(file);
            }
            file.run((mount, path) -> mount.setAttributes(path, change));
        }
    }
}
