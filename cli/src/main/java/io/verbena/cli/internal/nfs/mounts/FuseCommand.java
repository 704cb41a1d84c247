package io.verbena.cli.internal.nfs.mounts;

import io.verbena.cli.CliCommand;
import io.verbena.cli.CommandFailure;
import io.verbena.cli.ExitStatus;
import io.verbena.cli.Failures;
import io.verbena.cli.Text;
import io.verbena.cli.internal.FuseServices;
import io.verbena.cli.internal.Mounts;
import io.verbena.cli.internal.Providers;
import io.verbena.cli.internal.complete.LocalPathCompleter;
import io.verbena.cli.internal.complete.MountOptionCompleter;
import io.verbena.cli.internal.complete.MountSourceCompleter;
import io.verbena.cli.internal.hosts.HostAliases;
import io.verbena.cli.internal.hosts.MountRequest;
import io.verbena.fuse.FuseMount;
import io.verbena.fuse.FuseSettings;
import io.verbena.nfs.Mount;
import io.verbena.nfs.MountOption;
import io.verbena.text.LocalNames;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.apache.karaf.shell.api.action.Argument;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Completion;
import org.apache.karaf.shell.api.action.Option;
import org.apache.karaf.shell.api.action.lifecycle.Reference;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.apache.karaf.shell.api.console.Session;
import org.apache.karaf.shell.support.CommandException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Mounts an export at a directory of this host. */
@Service
@Command(
        scope = "nfs",
        name = "fuse",
        description = "Mounts an export at a directory of this host, where every program sees it",
        detailedDescription =
                """
            SOURCE is SERVER:/EXPORT or an alias, with the options of nfs:mount; or the name of a mount of nfs:mounts \
            that has links=off, with a colon behind it. For the others a mount fuse-NAME is made, where NAME is the \
            last name of DIR, and it goes with --unmount.
            Root mounts, by /dev/fuse. All users of this host may use DIR as the modes of its files allow. The server \
            is asked as one user, that of the mount; where that is root, what a user makes is given to the user.
            hard is the default here: programs wait for a server that is away, and a kill ends their wait. With soft \
            they have an I/O error in time.
            --unmount waits until all that was written is on the server's stable storage. umount DIR does so up to \
            the close of the files. With --foreground the command runs until DIR is unmounted, or until Ctrl-C or the \
            signal TERM unmounts it.

            Example: nfs:fuse -o port=20049 server:/export /mnt
                     nfs:fuse docs: /mnt
                     nfs:fuse --unmount /mnt""")
public final class FuseCommand extends CliCommand {
    private static final Logger LOG = LoggerFactory.getLogger(FuseCommand.class);
    private static final String PREFIX = "fuse-";
    private static final String DEFAULTS = "hard,links=off";
    private static final Duration STEP = Duration.ofSeconds(1);
    private static final Duration WRITTEN = Duration.ofMinutes(1);

    @Option(name = "-o", description = "Options as nfs:mount takes them, like port=20049,soft,ro")
    @Completion(MountOptionCompleter.class)
    private String options = "";

    @Option(name = "--only-me", description = "Only the user who mounts may use DIR")
    private boolean onlyMe;

    @Option(name = "--foreground", description = "Runs until DIR is unmounted, or until Ctrl-C unmounts it")
    private boolean foreground;

    @Option(name = "--unmount", description = "Unmounts DIR, the only argument")
    private boolean unmount;

    @Option(
            name = "--force",
            description = "With --unmount: programs that use DIR, or wait for a silent server, lose it")
    private boolean force;

    @Argument(name = "SOURCE", description = "SERVER:/EXPORT, an alias, or NAME: of a mount", required = true)
    @Completion(MountSourceCompleter.class)
    private String source;

    @Argument(index = 1, name = "DIR", description = "The directory")
    @Completion(LocalPathCompleter.class)
    private String directory;

    @Reference
    private Mounts mounts;

    @Reference
    private FuseServices services;

    @Reference
    private Providers providers;

    @Reference
    private Session session;

    @Override
    protected void run(PrintStream out) throws IOException, InterruptedException, CommandException {
        if (unmount) {
            if (directory != null) {
                throw new CommandFailure(ExitStatus.USAGE, "--unmount wants the directory alone");
            }
            unmount(invocation().path(source));
            return;
        }
        if (directory == null) {
            throw new CommandFailure(ExitStatus.USAGE, "where is it to be mounted? nfs:fuse SOURCE DIR");
        }
        if (force) {
            throw new CommandFailure(ExitStatus.USAGE, "--force goes with --unmount");
        }
        FuseMount made = mount(invocation().path(directory));
        note("mounted " + Text.printable(mounts.get(made.mount()).source()) + " at "
                + LocalNames.shown(made.directory()));
        if (foreground) {
            stay(made);
        }
    }

    private FuseMount mount(Path at) throws IOException, InterruptedException, CommandException {
        Optional<String> known = knownMount();
        if (known.isPresent()) {
            return show(mounts.connected(known.get()), at);
        }
        String name = PREFIX + LocalNames.name(at).replaceAll("[^\\p{L}\\p{N}_.-]", "_");
        MountRequest request = HostAliases.of(session).request(source, withDefaults(), name);
        providers.check(request.options().get(MountOption.PROVIDER));
        Mount mount = mounts.mountForDirectory(
                request.name(), request.source().server(), request.source().export(), request.options());
        boolean done = false;
        try {
            FuseMount made = show(mount, at);
            done = true;
            return made;
        } finally {
            if (!done) {
                mounts.unmount(mount.name());
            }
        }
    }

    /**
     * Programs expect that a file system waits, and the kernel follows links: hard and links=off come first, so that
     * what the user gives counts.
     */
    private String withDefaults() {
        return options.isEmpty() ? DEFAULTS : DEFAULTS + "," + options;
    }

    private Optional<String> knownMount() {
        String name = source.endsWith(":") ? source.substring(0, source.length() - 1) : source;
        return mounts.all().stream().map(Mount::name).filter(name::equals).findFirst();
    }

    private FuseMount show(Mount mount, Path at) throws IOException, CommandException {
        boolean readOnly = "true".equals(mount.settings().get(MountOption.RO.key()));
        return services.get().mount(mount.name(), at, new FuseSettings(!onlyMe, readOnly));
    }

    private void unmount(Path at) throws IOException, InterruptedException, CommandException {
        FuseMount mounted = services.get()
                .at(at)
                .orElseThrow(() -> new CommandFailure(
                        ExitStatus.NOT_FOUND, LocalNames.shown(at) + " is no mount of this process"));
        mounted.unmount(force, WRITTEN);
        withdraw(mounted);
        note("unmounted " + LocalNames.shown(at));
    }

    /** Removes the mount that was made for a directory, unless another directory shows it. */
    private void withdraw(FuseMount ended) throws IOException, InterruptedException, CommandException {
        if (mounts.isForDirectory(ended.mount()) && !services.isShown(ended.mount())) {
            mounts.unmount(ended.mount());
        }
    }

    /** Stays until the directory is unmounted, also by umount(8), or until an interrupt unmounts it. */
    private void stay(FuseMount made) throws IOException, InterruptedException, CommandException {
        boolean isInterrupted = false;
        try {
            while (!made.awaitEnd(STEP)) {
                flushTerminal();
            }
        } catch (InterruptedException e) {
            isInterrupted = true;
            LOG.debug("interrupted", e);
        }
        if (isInterrupted) {
            end(made);
            endByInterrupt();
        }
        if (made.failure().isPresent()) {
            throw made.failure().get();
        }
        withdraw(made);
    }

    /** Ends the mount on a thread of its own: the shell may interrupt this one again. */
    private void end(FuseMount made) throws CommandException {
        note("unmounting " + LocalNames.shown(made.directory()));
        CompletableFuture<Void> ended = new CompletableFuture<>();
        Thread thread = new Thread(
                () -> {
                    try {
                        endNow(made);
                        ended.complete(null);
                    } catch (Throwable e) {
                        ended.completeExceptionally(e);
                    }
                },
                "verbena-fuse-end");
        thread.setDaemon(true);
        thread.start();
        while (!ended.isDone()) {
            try {
                ended.get();
            } catch (InterruptedException e) {
                LOG.debug("interrupted again while written data is on its way", e);
            } catch (ExecutionException e) {
                throw Failures.of(e.getCause() instanceof Exception known ? known : new IOException(e.getCause()));
            }
        }
    }

    private static void endNow(FuseMount made) throws IOException, InterruptedException {
        try {
            made.unmount(false, WRITTEN);
        } catch (IOException e) {
            if (made.awaitEnd(Duration.ZERO)) {
                throw e;
            }
            LOG.warn("{}; its programs lose it", e.getMessage(), e);
            made.unmount(true, WRITTEN);
        }
    }
}
