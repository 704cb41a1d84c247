package io.verbena.cli.internal.resident;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.cli.ExitStatus;
import io.verbena.cli.Text;
import io.verbena.cli.internal.script.Scripts;
import java.io.IOException;
import java.io.PrintStream;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A script of a client, on a thread of its own, from the first command to the status. */
final class HandedOver {
    private static final Logger LOG = LoggerFactory.getLogger(HandedOver.class);

    /** What becomes of the instance after a script. */
    interface End {
        /** The script has ended, and the next one may begin. The client is told afterwards. */
        void ended();

        /** The script has left what cannot be removed, so that no other one may run here. */
        void spoiled();
    }

    private final Hello hello;
    private final Connection connection;
    private final Scripts scripts;
    private final End end;
    private final Thread thread;

    @GuardedBy("this")
    private boolean isRunning = true;

    /**
     * Prepares a run.
     *
     * @param isolation removes what the script has left, and returns whether that was possible
     */
    HandedOver(Hello hello, Connection connection, Scripts scripts, Supplier<Boolean> isolation, End end) {
        this.hello = hello;
        this.connection = connection;
        this.scripts = scripts;
        this.end = end;
        this.thread = new Thread(() -> run(isolation), "verbena-resident-script");
        thread.setDaemon(true);
    }

    void start() {
        thread.start();
    }

    /** Ends the running commands, as a signal ends those of a process. */
    synchronized void interrupt() {
        if (isRunning) {
            thread.interrupt();
        }
    }

    boolean isAlive() {
        return thread.isAlive();
    }

    private void run(Supplier<Boolean> isolation) {
        int status = ExitStatus.FAILED.code();
        boolean isClean = false;
        try {
            Scripts.Outcome outcome = runScript();
            status = outcome.status().code();
            stopListening();
            boolean isRemoved = isolation.get();
            isClean = outcome.isSettled() && isRemoved;
        } catch (RuntimeException | Error e) { // the client has to be told, whatever has happened
            LOG.error("a script cannot be run", e);
            stopListening();
            complain(e);
        } finally {
            if (!isClean) {
                end.spoiled();
            }
            end.ended();
            tell(status);
        }
    }

    private Scripts.Outcome runScript() {
        PrintStream out = connection.output(Frame.OUT);
        PrintStream err = connection.output(Frame.ERR);
        return scripts.run(hello.text(), hello.options(), connection.input(), out, err);
    }

    /** A late signal must not disturb the removal of what the script has left. */
    private void stopListening() {
        synchronized (this) {
            isRunning = false;
        }
        if (Thread.interrupted()) {
            LOG.debug("interrupted at the end");
        }
    }

    private void complain(Throwable failure) {
        PrintStream err = connection.output(Frame.ERR);
        err.println("verbena: the script cannot be run: " + Text.printable(String.valueOf(failure)));
        err.flush();
    }

    private void tell(int status) {
        try {
            connection.send(Frame.of(Frame.EXIT, status));
        } catch (IOException e) {
            LOG.debug("the client has gone before the end of its script", e);
        }
        connection.finish();
    }
}
