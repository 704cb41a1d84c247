package io.verbena.cli.internal.script;

import io.verbena.cli.internal.Mounts;
import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.charset.Charset;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.karaf.features.BootFinished;
import org.apache.karaf.shell.api.console.SessionFactory;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;

/**
 * Runs the shell script that the system property {@value #SCRIPT} names once the container has booted, then ends the
 * JVM with its status: 0, or 1 after the first command that failed.
 *
 * <p>A script may refresh the very bundle that this component lives in. The run goes on through that, and the component
 * that comes up afterwards does not start it again.
 */
@Component(
        service = {},
        immediate = true)
public final class ScriptRunner {
    static final String SCRIPT = "verbena.script";
    private static final String STARTED = "verbena.script.started";

    private static final long TIDY_UP_SECONDS = 10;

    private final Bundle container;
    private final CountDownLatch ended = new CountDownLatch(1);
    private final Thread runner;

    /**
     * @param mounts not used here, but by commands: a container that stops takes it away after this component
     */
    @Activate
    public ScriptRunner(
            BundleContext context,
            @Reference BootFinished booted,
            @Reference SessionFactory sessions,
            @Reference Mounts mounts) {
        this.container = context.getBundle(0);
        String script = System.getProperty(SCRIPT);
        if (script == null || System.setProperty(STARTED, "true") != null) {
            runner = null;
            return;
        }
        runner = new Thread(() -> runAndExit(sessions, Path.of(script)), "verbena-script");
        runner.setDaemon(true);
        runner.start();
    }

    /**
     * Ends a command that blocks and lets it tidy up while the bundles that it uses are there, so that a signal stops the
     * container in order; other reasons leave the script running.
     */
    @Deactivate
    void deactivate() throws InterruptedException {
        if (runner != null && isStopping()) {
            runner.interrupt();
            ended.await(TIDY_UP_SECONDS, TimeUnit.SECONDS);
        }
    }

    private void runAndExit(SessionFactory sessions, Path script) {
        int status;
        try {
            status = run(sessions, script);
        } finally {
            ended.countDown();
        }
        if (!isStopping()) {
            System.exit(status); // else the container ends the JVM, once every bundle has tidied up
        }
    }

    private boolean isStopping() {
        return container.getState() == Bundle.STOPPING;
    }

    private static int run(SessionFactory sessions, Path script) {
        PrintStream out = stream(FileDescriptor.out);
        PrintStream err = stream(FileDescriptor.err);
        int status = new Script(sessions, out, err).run(script);
        out.flush();
        err.flush();
        return status;
    }

    /** Not System.out: the shell has put a stream for each thread there, and a session that writes to it calls itself. */
    private static PrintStream stream(FileDescriptor descriptor) {
        return new PrintStream(
                new BufferedOutputStream(new FileOutputStream(descriptor)), true, Charset.defaultCharset());
    }
}
