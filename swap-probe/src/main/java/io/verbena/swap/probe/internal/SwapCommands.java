package io.verbena.swap.probe.internal;

import io.verbena.nfs.Mount;
import java.io.PrintStream;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.karaf.shell.api.console.SessionFactory;
import org.osgi.framework.BundleContext;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ReferenceCardinality;
import org.osgi.service.component.annotations.ReferencePolicy;

/**
 * Shell commands. {@code swap:during MOUNT DIRECTORY COMMAND OTHER} runs the first command and, as soon as it has made
 * something in the directory of the mount, the other one meanwhile. The arguments of {@code swap:run} are settings,
 * {@code name=value}:
 *
 * <ul>
 *   <li>{@code mount}: the mount to work on
 *   <li>{@code folder}: a local folder for files of its own
 *   <li>{@code size}: MiB of the file that is put and of the one that is got, again and again (64)
 *   <li>{@code sourceDigest}: the SHA-256 of the file /swap/source that is got, where that is there already
 *   <li>{@code swaps}: how many bundles are replaced (10)
 *   <li>{@code blocks}: how many are read after each before its pause counts as over (20)
 *   <li>{@code seed}: of the order, 0 for one that is picked (0)
 *   <li>{@code bundles}: symbolic names, separated by commas, of what is replaced in any way
 *   <li>{@code refreshed}: the same of what is refreshed only
 * </ul>
 */
@Component(
        service = SwapCommands.class,
        property = {"osgi.command.scope=swap", "osgi.command.function=run", "osgi.command.function=during"})
public final class SwapCommands {
    private static final long END_SECONDS = 180;

    private final BundleContext context;
    private final SessionFactory sessions;
    private final MountsSeen mounts = new MountsSeen();

    /** For Declarative Services. */
    @Activate
    public SwapCommands(BundleContext context, @Reference SessionFactory sessions) {
        this.context = context;
        this.sessions = sessions;
    }

    @Reference(cardinality = ReferenceCardinality.MULTIPLE, policy = ReferencePolicy.DYNAMIC)
    void addMount(Mount mount) {
        mounts.add(mount);
    }

    void removeMount(Mount mount) {
        mounts.remove(mount);
    }

    /** The command; fails with a line of what went wrong. */
    public void run(String... arguments) throws Exception {
        Map<String, String> settings = new LinkedHashMap<>();
        for (String argument : arguments) {
            String[] parts = argument.split("=", 2);
            if (parts.length < 2) {
                throw new IllegalArgumentException("no setting: " + argument);
            }
            settings.put(parts[0], parts[1]);
        }
        PrintStream out = System.out;
        new SwapRun(context, sessions, mounts, settings, out).run();
    }

    /** The other command; fails where one of the two fails. */
    public void during(String mount, String directory, String command, String other) throws Exception {
        Load load = new ShellLoad("during", sessions, command, () -> {});
        load.start();
        Mount there = mounts.await(mount, null);
        while (there.list(directory).isEmpty()) {
            load.check();
            Thread.onSpinWait();
        }
        if (load.steps() > 0) {
            throw new IllegalStateException("too late: it is done already");
        }
        ShellLoad.run(sessions, other);
        load.stop(END_SECONDS); // when the command is done
    }
}
