package io.verbena.cli.internal.nfs.mounts;

import io.verbena.cli.CliCommand;
import io.verbena.cli.CommandFailure;
import io.verbena.cli.ExitStatus;
import io.verbena.cli.Failures;
import io.verbena.cli.Text;
import io.verbena.cli.internal.Mounts;
import io.verbena.cli.internal.Providers;
import io.verbena.cli.internal.complete.LocalPathCompleter;
import io.verbena.cli.internal.complete.MountOptionCompleter;
import io.verbena.cli.internal.complete.MountSourceCompleter;
import io.verbena.cli.internal.hosts.Fstab;
import io.verbena.cli.internal.hosts.HostAliases;
import io.verbena.cli.internal.hosts.MountRequest;
import io.verbena.nfs.Mount;
import io.verbena.nfs.MountOption;
import java.io.IOException;
import java.io.PrintStream;
import org.apache.karaf.shell.api.action.Argument;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Completion;
import org.apache.karaf.shell.api.action.Option;
import org.apache.karaf.shell.api.action.lifecycle.Reference;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.apache.karaf.shell.api.console.Session;
import org.apache.karaf.shell.support.CommandException;

/** Mounts an export. */
@Service
@Command(
        scope = "nfs",
        name = "mount",
        description = "Mounts an export of an NFSv4.1 server over RDMA",
        detailedDescription =
                """
            SOURCE is SERVER:/EXPORT; an alias of ~/.config/verbena/config, alone or as ALIAS:/EXPORT; or a directory \
            of /etc/fstab, whose line of type nfs or nfs4 says what is mounted. The name of a mount of an alias is the \
            alias, of a line the last name of its directory, unless NAME is given.
            The mount is a configuration, io.verbena.nfs.mount~NAME, and lasts until nfs:unmount.
            Its options are named as mount.nfs names them, separated by commas; TAB completes and explains them. All \
            options of mount.nfs are taken. One note tells which of them are ignored, and why.
            Other than there, soft is the default: calls fail in time when the server stays away.
            Which RDMA provider carries the mount is chosen when it connects first, unless provider= says; nfs:mounts \
            tells which, and why.
            An IPv6 address stands in brackets and the whole in quotes.

            Example: nfs:mount -o proto=rdma,port=20049,hard server:/export docs
                     nfs:mount --ensure server:/export docs
                     nfs:mount '[::1]:/export' docs
                     nfs:mount /mnt/data
                     nfs:mount -a --fstab /etc/fstab.storage""")
public final class MountCommand extends CliCommand {
    @Option(name = "-o", description = "Options as mount.nfs takes them, like port=20049,soft,ro")
    @Completion(MountOptionCompleter.class)
    private String options = "";

    @Option(name = "--ensure", description = "What is mounted alike already is no error")
    private boolean ensure;

    @Option(name = "--fstab", description = "The file instead of /etc/fstab; SOURCE is a directory or name in it")
    @Completion(LocalPathCompleter.class)
    private String fstab;

    @Option(name = "-a", aliases = "--all", description = "All lines of fstab without noauto that are not mounted")
    private boolean all;

    @Argument(name = "SOURCE", description = "SERVER:/EXPORT, an alias, or a directory of fstab")
    @Completion(MountSourceCompleter.class)
    private String source;

    @Argument(index = 1, name = "NAME", description = "What the mount is called in NAME:/path")
    private String name;

    @Reference
    private Mounts mounts;

    @Reference
    private Providers providers;

    @Reference
    private Session session;

    @Override
    protected void run(PrintStream out) throws IOException, InterruptedException, CommandException {
        String file = fstab == null ? Fstab.SYSTEM : fstab;
        if (all) {
            if (source != null) {
                throw new CommandFailure(ExitStatus.USAGE, "-a mounts all lines of " + file + ": leave SOURCE out");
            }
            mountAll(Fstab.read(file, invocation()));
        } else if (fstab != null || (source != null && source.startsWith("/"))) {
            Fstab lines = Fstab.read(file, invocation());
            mount(lines.request(lines.find(source), options, name));
        } else if (source == null) {
            throw new CommandFailure(
                    ExitStatus.USAGE,
                    "what is to be mounted? nfs:mount SERVER:/EXPORT NAME, or an alias, or a directory of " + file);
        } else {
            mount(HostAliases.of(session).request(source, options, name));
        }
    }

    /** Mounts the lines that are to be mounted at the start, as mount -a does. */
    private void mountAll(Fstab lines) throws IOException, InterruptedException, CommandException {
        ensure = true;
        int failures = 0;
        int tries = 0;
        for (Fstab.Line line : lines.lines()) {
            if (line.isOnDemand()) {
                continue;
            }
            tries++;
            try {
                mount(lines.request(line, options, null));
            } catch (IOException | CommandException | IllegalArgumentException e) {
                String reason = Failures.of(e).getMessage();
                if (line.mayFail()) {
                    note(reason + " (nofail)");
                } else {
                    errorLines().tell(reason);
                    failures++;
                }
            }
        }
        if (failures > 0) {
            throw new CommandFailure(
                    ExitStatus.PARTIAL, failures + " of " + tries + " lines could not be mounted: see above");
        }
    }

    private void mount(MountRequest request) throws IOException, InterruptedException, CommandException {
        providers.check(request.options().get(MountOption.PROVIDER));
        if (ensure && mounts.isMountedAlike(request.name(), request.source(), request.options())) {
            Mount mount = mounts.connected(request.name());
            session.put(Mounts.LAST, mount.name());
            note("mounted already " + Text.printable(mount.source()) + " as " + mount.name());
            return;
        }
        Mount mount = mounts.mount(
                request.name(), request.source().server(), request.source().export(), request.options());
        session.put(Mounts.LAST, mount.name());
        request.options().note().ifPresent(this::note);
        note("mounted " + Text.printable(mount.source()) + " as " + mount.name());
    }
}
