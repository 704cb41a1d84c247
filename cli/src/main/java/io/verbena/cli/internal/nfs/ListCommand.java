package io.verbena.cli.internal.nfs;

import io.verbena.cli.CliCommand;
import io.verbena.cli.Text;
import io.verbena.cli.internal.ModeText;
import io.verbena.cli.internal.MountedPath;
import io.verbena.cli.internal.Mounts;
import io.verbena.cli.internal.complete.RemotePathCompleter;
import io.verbena.nfs.DirectoryEntry;
import io.verbena.nfs.FileAttributes;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import org.apache.karaf.shell.api.action.Argument;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Completion;
import org.apache.karaf.shell.api.action.Option;
import org.apache.karaf.shell.api.action.lifecycle.Reference;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.apache.karaf.shell.support.CommandException;
import org.apache.karaf.shell.support.table.ShellTable;

/** Lists files. */
@Service
@Command(
        scope = "nfs",
        name = "ls",
        description = "Lists files of a mount",
        detailedDescription =
                """
            By name; -l adds mode, links, owner, group, size in octets and the time of modification in UTC.

            Example: nfs:ls -l docs:/
                     nfs:ls -a docs:/ 'docs:/with a space'""")
public final class ListCommand extends CliCommand {
    @Option(name = "-l", description = "Long: with attributes")
    private boolean isLong;

    @Option(name = "-a", description = "All: names too that begin with a dot")
    private boolean all;

    @Argument(name = "PATH", description = "NAME:/path of a file or directory", required = true, multiValued = true)
    @Completion(RemotePathCompleter.class)
    private List<String> paths;

    @Reference
    private Mounts mounts;

    @Override
    protected void run(PrintStream out) throws IOException, CommandException {
        List<MountedPath> directories = new ArrayList<>();
        ShellTable files = Text.columns();
        addColumns(files);
        boolean anyFile = false;
        for (String path : paths) {
            MountedPath mounted = MountedPath.parse(path, mounts);
            FileAttributes attributes = mounted.attributes(!isLong || path.endsWith("/"));
            if (attributes.isDirectory()) {
                directories.add(mounted);
            } else {
                addRow(files, mounted.toString(), mounted, attributes);
                anyFile = true;
            }
        }
        Text.print(files, out);
        boolean isFirst = !anyFile;
        for (MountedPath directory : directories) {
            if (paths.size() > 1) {
                out.print((isFirst ? "" : System.lineSeparator()) + directory + ":" + System.lineSeparator());
                isFirst = false;
            }
            list(directory, out);
        }
    }

    private void list(MountedPath directory, PrintStream out) throws IOException {
        ShellTable table = Text.columns();
        addColumns(table);
        for (DirectoryEntry entry : directory.list()) {
            if (all || !entry.name().startsWith(".")) {
                addRow(table, Text.printable(entry.name()), directory.child(entry.name()), entry.attributes());
            }
        }
        Text.print(table, out);
    }

    private void addColumns(ShellTable table) {
        if (isLong) {
            table.column("mode");
            table.column("links").alignRight();
            table.column("owner");
            table.column("group");
            table.column("size").alignRight();
            table.column("modified");
        }
        table.column("name");
    }

    private void addRow(ShellTable table, String name, MountedPath path, FileAttributes attributes) throws IOException {
        if (!isLong) {
            table.addRow().addContent(name);
            return;
        }
        String link = attributes.isSymbolicLink() ? " -> " + Text.printable(path.readLink()) : "";
        table.addRow()
                .addContent(
                        ModeText.of(attributes.type(), attributes.mode()),
                        attributes.linkCount(),
                        Text.printable(attributes.owner()),
                        Text.printable(attributes.group()),
                        attributes.size(),
                        Text.time(attributes.modified()),
                        name + link);
    }
}
