package io.verbena.cli.internal.nfs;

import io.verbena.cli.CliCommand;
import io.verbena.cli.Text;
import io.verbena.cli.internal.ModeText;
import io.verbena.cli.internal.MountedPath;
import io.verbena.cli.internal.Mounts;
import io.verbena.cli.internal.complete.RemotePathCompleter;
import io.verbena.nfs.FileAttributes;
import java.io.IOException;
import java.io.PrintStream;
import java.util.List;
import org.apache.karaf.shell.api.action.Argument;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Completion;
import org.apache.karaf.shell.api.action.lifecycle.Reference;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.apache.karaf.shell.support.CommandException;
import org.apache.karaf.shell.support.table.ShellTable;

/** Shows attributes. */
@Service
@Command(
        scope = "nfs",
        name = "stat",
        description = "Shows all attributes of files of a mount",
        detailedDescription =
                """
            Of a symbolic link its own. Sizes are octets, times UTC.

            Example: nfs:stat docs:/README.txt""")
public final class StatCommand extends CliCommand {
    @Argument(name = "PATH", description = "NAME:/path", required = true, multiValued = true)
    @Completion(RemotePathCompleter.class)
    private List<String> paths;

    @Reference
    private Mounts mounts;

    @Override
    protected void run(PrintStream out) throws IOException, CommandException {
        for (String path : paths) {
            MountedPath file = MountedPath.parse(path, mounts);
            FileAttributes attributes = file.attributes(false);
            ShellTable table = Text.columns();
            table.column("attribute");
            table.column("value");
            table.addRow().addContent("path", file);
            table.addRow().addContent("type", attributes.type().name().toLowerCase(java.util.Locale.ROOT));
            if (attributes.isSymbolicLink()) {
                table.addRow().addContent("target", Text.printable(file.readLink()));
            }
            table.addRow().addContent("size", attributes.size());
            table.addRow().addContent("space-used", attributes.spaceUsed());
            table.addRow()
                    .addContent(
                            "mode",
                            String.format(
                                    "%04o %s", attributes.mode(), ModeText.of(attributes.type(), attributes.mode())));
            table.addRow().addContent("links", attributes.linkCount());
            table.addRow().addContent("owner", Text.printable(attributes.owner()));
            table.addRow().addContent("group", Text.printable(attributes.group()));
            table.addRow().addContent("modified", attributes.modified());
            table.addRow().addContent("accessed", attributes.accessed());
            table.addRow().addContent("changed", attributes.changed());
            table.addRow()
                    .addContent(
                            "fsid",
                            Long.toUnsignedString(attributes.fileSystemMajor()) + ":"
                                    + Long.toUnsignedString(attributes.fileSystemMinor()));
            table.addRow().addContent("fileid", Long.toUnsignedString(attributes.fileId()));
            table.addRow().addContent("change", Long.toUnsignedString(attributes.change()));
            Text.print(table, out);
        }
    }
}
