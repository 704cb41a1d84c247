package io.verbena.cli.internal.nfs.change;

import io.verbena.cli.CommandFailure;
import io.verbena.cli.ErrorLines;
import io.verbena.cli.ExitStatus;
import io.verbena.cli.Failures;
import io.verbena.cli.Text;
import io.verbena.cli.internal.MountedPath;
import io.verbena.cli.internal.Quantities;
import io.verbena.cli.internal.complete.RemotePathCompleter;
import io.verbena.cli.internal.nfs.command.RemoteCommand;
import io.verbena.nfs.MountReplacedException;
import io.verbena.nfs.RemoteFile;
import io.verbena.nfs.RemoteLock;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.karaf.shell.api.action.Argument;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Completion;
import org.apache.karaf.shell.api.action.Option;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.apache.karaf.shell.api.console.Function;
import org.apache.karaf.shell.support.CommandException;

/** Runs commands while it holds a lock, as flock(1) does. */
@Service
@Command(
        scope = "nfs",
        name = "lock",
        description = "Runs commands while it holds a lock on a file of a mount",
        detailedDescription =
                """
            Of the whole file, and waits until it is had, unless options say otherwise. A file that is not there is \
            made, unless the lock is shared. Locks are advisory: they keep out those who ask for one too.
            Without commands the lock is held until ENTER. Where the commands fail, so does this, with the lock \
            released.

            Example: nfs:lock docs:/.lock { nfs:put report.csv docs:/; nfs:touch docs:/done }
                     nfs:lock --wait 0 --shared --range 0-4095 docs:/data.bin""")
public final class LockCommand extends RemoteCommand {
    private static final int MODE = 0_644;
    private static final long RETRY_MILLIS = 100;
    private static final Duration FOR_EVER = Duration.ofDays(3_650);

    @Option(name = "--shared", description = "With others who share it: a read lock")
    private boolean shared;

    @Option(name = "--range", description = "Only octets A to B, or from A on with A-")
    private String range = "0-";

    @Option(name = "--wait", description = "Waits so many seconds at most; 0 does not wait")
    private String wait;

    @Argument(name = "PATH", description = "NAME:/path of a file", required = true)
    @Completion(RemotePathCompleter.class)
    private String path;

    @Argument(index = 1, name = "{ COMMANDS }", description = "What to do while the lock is held")
    private Function commands;

    @Override
    protected void run(PrintStream out) throws IOException, InterruptedException, CommandException {
        Duration patience = wait == null ? FOR_EVER : Quantities.seconds("--wait", wait);
        LockRange octets = LockRange.parse(range);
        MountedPath file = file(path);
        try (RemoteFile open = Failures.get(file.toString(), () -> open(file))) {
            Optional<RemoteLock> lock = tryLock(open, file, octets, patience);
            if (lock.isEmpty()) {
                throw new CommandFailure(
                        ExitStatus.FAILED,
                        file + ": somebody else holds a lock"
                                + (patience.isZero()
                                        ? "; without --wait 0 this waits for it"
                                        : ", and still after " + wait + " s"));
            }
            ErrorLines lines = errorLines(); // told on another thread
            lock.get()
                    .onLost(why -> lines.tell(
                            file + ": the lock is lost: " + Failures.of(why).getMessage()));
            boolean isDone = false;
            try {
                hold(file);
                isDone = true;
            } finally {
                release(file, lock.get(), isDone);
            }
        }
    }

    /** Acquires the lock, and waits also for locks of this process. A mount refuses these at once. */
    private Optional<RemoteLock> tryLock(RemoteFile open, MountedPath file, LockRange octets, Duration patience)
            throws IOException, InterruptedException, CommandFailure {
        long deadline = System.nanoTime() + patience.toNanos();
        while (true) {
            try {
                Duration left = Duration.ofNanos(Math.max(0, deadline - System.nanoTime()));
                return Failures.get(
                        file.toString(), () -> open.tryLock(octets.position(), octets.size(), shared, left));
            } catch (OverlappingFileLockException e) {
                if (System.nanoTime() - deadline >= 0) {
                    throw new CommandFailure(
                            ExitStatus.FAILED, file + ": this process holds a lock that overlaps the one asked for");
                }
            }
            TimeUnit.MILLISECONDS.sleep(RETRY_MILLIS);
        }
    }

    private RemoteFile open(MountedPath file) throws IOException {
        return shared
                ? file.mount().open(file.path(), Set.of(StandardOpenOption.READ), MODE)
                : file.mount()
                        .open(
                                file.path(),
                                Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.CREATE),
                                MODE);
    }

    private void hold(MountedPath file) throws IOException, InterruptedException, CommandException {
        if (commands == null) {
            note("locked " + file + ": ENTER releases it");
            int read = System.in.read();
            while (read >= 0 && read != '\n' && read != '\r') {
                read = System.in.read();
            }
            return;
        }
        try {
            commands.execute(session(), List.of());
        } catch (IOException | InterruptedException | RuntimeException | CommandException e) {
            throw e;
        } catch (Exception e) {
            throw new CommandException(Text.printable(String.valueOf(e.getMessage())), e);
        }
    }

    /**
     * Releases the lock. If the commands have failed, their failure is reported instead of a failure of the release.
     */
    private static void release(MountedPath file, RemoteLock lock, boolean isDone) throws IOException {
        try {
            lock.close();
        } catch (MountReplacedException e) {
            if (isDone) {
                throw new IOException(
                        file + ": the mount was replaced while the lock was held, and others may have had it since", e);
            }
        } catch (IOException e) {
            if (isDone) {
                throw Failures.about(file.toString(), e);
            }
        }
    }
}
