package io.verbena.cli.internal.nfs.serve;

import io.verbena.cli.CliCommand;
import io.verbena.cli.Failures;
import io.verbena.cli.Text;
import io.verbena.cli.internal.Exports;
import io.verbena.cli.internal.complete.LocalPathCompleter;
import io.verbena.text.LocalNames;
import java.io.IOException;
import java.io.PrintStream;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.karaf.shell.api.action.Argument;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Completion;
import org.apache.karaf.shell.api.action.lifecycle.Reference;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.apache.karaf.shell.api.console.Session;
import org.apache.karaf.shell.support.CommandException;
import org.jline.utils.Signals;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Serves the exports of a file until it is interrupted. */
@Service
@Command(
        scope = "nfs",
        name = "serve",
        description = "Serves the exports that a file lists, until it is interrupted",
        detailedDescription =
                """
            Each line of the file has the words of nfs:export for one export, such as: --port 20049 --name docs \
            /srv/docs. Lines that begin with # are left out.
            The signal HUP has the file read again: new lines are exported, the exports of lines that are gone end, \
            all others go on. Where a line fails, the reason is printed, and the others are served. Ctrl-C or the \
            signal TERM ends all of them in order.
            A service manager is told by sd_notify(3) when all exports listen, of a reload, of the end, and of the \
            state in one line. 'verbena serve DIR' runs this command for one directory.

            Example: nfs:serve /etc/verbena/exports""")
public final class ServeCommand extends CliCommand {
    private static final Logger LOG = LoggerFactory.getLogger(ServeCommand.class);
    private static final String RELOAD = "HUP";
    private static final long STATUS_SECONDS = 10;
    private static final long END_NANOS = TimeUnit.SECONDS.toNanos(8);

    @Argument(name = "FILE", description = "The file of exports", required = true)
    @Completion(LocalPathCompleter.class)
    private String file;

    @Reference
    private Exports exports;

    @Reference
    private Session session;

    @Override
    protected void run(PrintStream out) throws IOException, InterruptedException, CommandException {
        ServiceManager manager = new ServiceManager();
        ServedExports served = new ServedExports(
                exports, new ExportsFile(LocalNames.parse(file)), words -> session.execute("nfs:export " + words));
        Semaphore reloads = new Semaphore(0);
        Object former = Signals.register(RELOAD, reloads::release);
        try {
            served.update();
            String told = served.status();
            note("ready: " + Text.printable(told));
            manager.tell("READY=1", "STATUS=" + told);
            serve(served, manager, reloads, told);
        } catch (InterruptedException e) {
            // Ctrl-C and TERM are the ways to end this command.
            endByInterrupt();
            note("stopping");
        } finally {
            Signals.unregister(RELOAD, former);
            end(served, manager);
        }
    }

    /**
     * Ends all exports, on a thread of its own: the shell may interrupt the thread of a command again while the command
     * ends.
     */
    private static void end(ServedExports served, ServiceManager manager) throws CommandException {
        CompletableFuture<Void> end = new CompletableFuture<>();
        Thread thread = new Thread(
                () -> {
                    try {
                        manager.tell("STOPPING=1", "STATUS=stopping");
                        served.end();
                        end.complete(null);
                    } catch (Throwable e) {
                        end.completeExceptionally(e);
                    }
                },
                "verbena-serve-end");
        thread.setDaemon(true);
        thread.start();
        long deadline = System.nanoTime() + END_NANOS;
        while (!end.isDone() && System.nanoTime() - deadline < 0) {
            try {
                end.get(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
            } catch (InterruptedException e) {
                LOG.debug("interrupted again while the exports end", e);
            } catch (ExecutionException e) {
                throw Failures.of(e.getCause() instanceof Exception known ? known : new IOException(e.getCause()));
            } catch (TimeoutException e) {
                LOG.warn("the exports have not ended in time", e);
            }
        }
    }

    private void serve(ServedExports served, ServiceManager manager, Semaphore reloads, String first)
            throws InterruptedException {
        String told = first;
        while (true) {
            if (reloads.tryAcquire(STATUS_SECONDS, TimeUnit.SECONDS)) {
                reloads.drainPermits();
                manager.tell("RELOADING=1", "MONOTONIC_USEC=" + TimeUnit.NANOSECONDS.toMicros(System.nanoTime()));
                update(served);
                told = served.status();
                note("ready: " + Text.printable(told));
                manager.tell("READY=1", "STATUS=" + told);
            } else if (!served.status().equals(told)) {
                told = served.status();
                note(Text.printable(told));
                manager.tell("STATUS=" + told);
            }
        }
    }

    /** Reads the file again. A failure leaves the exports that are served. */
    private void update(ServedExports served) throws InterruptedException {
        try {
            served.update();
        } catch (CommandException e) {
            note("not reloaded in full: " + Text.printable(String.valueOf(e.getMessage())));
        }
    }
}
