package io.verbena.cli.internal.script;

import io.verbena.cli.ExitStatus;
import io.verbena.cli.Invocation;
import io.verbena.cli.internal.Exports;
import io.verbena.cli.internal.Mounts;
import io.verbena.text.LocalNames;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.karaf.features.BootFinished;
import org.apache.karaf.shell.api.console.SessionFactory;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the shell script that the system property {@value #SCRIPT} names after the container has booted, then ends the
 * JVM with the script's {@link ExitStatus}. A file beside the script contains its arguments, each terminated by a zero
 * octet. The status is written to another file, because a container that stops during a script ends the JVM with its
 * own status.
 *
 * <p>A script may replace the bundle of this component. The component that is activated afterwards runs the rest of the
 * script, from the end of the statement that has replaced it.
 */
@Component(
        service = {},
        immediate = true)
public final class ScriptRunner {
    private static final Logger LOG = LoggerFactory.getLogger(ScriptRunner.class);

    static final String SCRIPT = "verbena.script";
    private static final String STARTED = "verbena.script.started";
    private static final String KEEP_GOING = "verbena.script.keep-going";
    private static final String TIMESTAMPS = "verbena.script.timestamps";
    private static final String QUIET = "verbena.script.quiet";
    private static final String LOADED = "verbena.script.loaded";
    private static final String ARGUMENTS_SUFFIX = ".arguments";
    private static final String STATUS_SUFFIX = ".status";

    private static final long TIDY_UP_SECONDS = 10;

    private final Bundle container;
    private final SessionFactory sessions;
    private final Path script;

    /** That of the script that runs, whoever has begun it; null if there is none. */
    private final Relay relay;

    /** How the rest of a script that another build has begun is taken. */
    private final Consumer<Map<String, Object>> successor = this::take;

    /** Runs the rest of a script; null if this instance has begun it. */
    private final Scripts further;

    /** A part of a script, up to its end or to the next build. */
    private interface Part {
        Scripts.Outcome run() throws IOException;
    }

    /**
     * Creates the runner.
     *
     * @param mounts not used here; commands use it, and the reference makes the container remove it after this
     *     component
     * @param exports as the mounts
     */
    @Activate
    public ScriptRunner(
            BundleContext context,
            @Reference BootFinished booted,
            @Reference SessionFactory sessions,
            @Reference Mounts mounts,
            @Reference Exports exports) {
        this.container = context.getBundle(0);
        this.sessions = sessions;
        String path = System.getProperty(SCRIPT);
        script = path == null ? null : LocalNames.path(path);
        if (script == null) {
            relay = null;
            further = null;
        } else if (System.setProperty(STARTED, "true") == null) {
            relay = Relay.begin(context.getBundle(), container.getBundleContext());
            further = null;
            start(this::begin);
        } else {
            relay = Relay.find(context.getBundle(), container.getBundleContext())
                    .orElse(null);
            further = relay == null ? null : new Scripts(container.getBundleContext(), sessions);
            if (relay != null) {
                relay.offer(successor, further::unknownCommand);
            }
        }
    }

    private void take(Map<String, Object> shared) {
        Remainder rest = Remainder.of(shared);
        start(() -> {
            try (Scripts scripts = further) {
                return scripts.goOn(rest, options(), relay);
            }
        });
    }

    private void start(Part part) {
        Thread runner = new Thread(() -> runAndExit(part), "verbena-script");
        runner.setDaemon(true);
        relay.start(runner);
    }

    /**
     * Ends a blocked command and lets it clean up while its bundles are present, so that the container stops in order
     * after a signal. If the component is deactivated for another reason, the script continues.
     */
    @Deactivate
    void deactivate() throws InterruptedException {
        if (relay == null) {
            return;
        }
        if (relay.withdraw(successor)) {
            further.close();
        }
        if (isStopping()) {
            relay.interrupt(TIDY_UP_SECONDS, TimeUnit.SECONDS);
        } else {
            relay.keepClasses();
        }
    }

    private void runAndExit(Part part) {
        int status = ExitStatus.FAILED.code();
        boolean isHandedOver = false;
        try {
            Scripts.Outcome outcome = part.run();
            isHandedOver = outcome.isHandedOver();
            if (isHandedOver) {
                return;
            }
            status = outcome.status().code();
            Files.writeString(beside(script, STATUS_SUFFIX), status + "\n");
            linkClasses();
        } catch (IOException | RuntimeException | Error e) { // an Error if a class of a removed bundle is missing
            LOG.error("the script cannot be run, or its status not written", e);
            stream(FileDescriptor.err)
                    .println("verbena: the script cannot be run, or its status not written: " + Script.oneLine(e));
        } finally {
            if (!isHandedOver) {
                end(status);
            }
        }
    }

    /** Links all classes for the archive that the JVM makes at its end, if the launcher wants one. */
    private void linkClasses() throws IOException {
        String log = System.getProperty(LOADED);
        if (log != null) {
            LoadedClasses.link(container.getBundleContext(), LocalNames.path(log));
        }
    }

    private void end(int status) {
        relay.end();
        if (!isStopping()) {
            System.exit(status); // otherwise the container ends the JVM after every bundle has cleaned up
        }
    }

    private boolean isStopping() {
        return container.getState() == Bundle.STOPPING;
    }

    private Scripts.Outcome begin() throws IOException {
        PrintStream out = new ScriptOutput(new FileOutputStream(StandardOutput.descriptor(FileDescriptor.out)));
        PrintStream err = stream(FileDescriptor.err);
        InputStream in = new BufferedInputStream(new FileInputStream(FileDescriptor.in));
        try (Scripts scripts = new Scripts(container.getBundleContext(), sessions)) {
            return scripts.run(commands(script), options(), in, out, err, relay);
        }
    }

    private ScriptOptions options() throws IOException {
        return new ScriptOptions(
                arguments(script),
                Boolean.getBoolean(KEEP_GOING),
                Boolean.getBoolean(TIMESTAMPS),
                Boolean.getBoolean(QUIET),
                Invocation.ofProcess());
    }

    private static String commands(Path script) throws IOException {
        try {
            return Files.readString(script);
        } catch (CharacterCodingException e) {
            throw new IOException("it is not in UTF-8", e);
        }
    }

    private static List<String> arguments(Path script) throws IOException {
        Path file = beside(script, ARGUMENTS_SUFFIX);
        if (!Files.exists(file)) {
            return List.of();
        }
        String text = Files.readString(file);
        return List.of(text.substring(0, text.length() - 1).split("\0", -1));
    }

    private static Path beside(Path script, String suffix) {
        return script.resolveSibling(script.getFileName() + suffix);
    }

    /**
     * Returns a stream to a file descriptor. System.out is unsuitable: the shell replaces it with a stream that
     * delegates to the stream of each thread, and a session that writes to it would call itself.
     */
    private static PrintStream stream(FileDescriptor descriptor) {
        return new PrintStream(
                new BufferedOutputStream(new FileOutputStream(descriptor)), true, Charset.defaultCharset());
    }
}
