package io.verbena.swap.probe.internal;

import io.verbena.nfs.Mount;
import java.io.PrintStream;
import java.nio.file.spi.FileSystemProvider;
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
 * Shell commands. {@code swap:during MOUNT DIRECTORY COMMAND OTHER} runs the first command and, as soon as this has
 * created an entry in the directory of the mount, the other one at the same time. The arguments of {@code swap:run} are
 * settings, {@code name=value}:
 *
 * <ul>
 * <li>{@code mount}: the mount to work on
 * <li>{@code folder}: a local folder for the run's files
 * <li>{@code size}: the MiB of the file that is put, and of the one that is got, repeatedly (64)
 * <li>{@code sourceDigest}: the SHA-256 of the file /swap/source that is got, if the file exists already
 * <li>{@code swaps}: the number of replacements (10)
 * <li>{@code blocks}: the number of blocks read after each replacement until its pause counts as over (20)
 * <li>{@code seed}: the seed of the order, 0 for a random one (0)
 * <li>{@code bundles}: symbolic names, separated by commas, of the bundles that are replaced in any way
 * <li>{@code refreshed}: symbolic names of the bundles that are only refreshed
 * </ul>
 */
@Component(
        service = SwapCommands.class,
        property = {"osgi.command.scope=swap", "osgi.command.function=run", "osgi.command.function=during"})
public final class SwapCommands {
    private static final long END_SECONDS = 180;

    private final BundleContext context;
    private final SessionFactory sessions;
    private final FileSystemProvider files;
    private final CurrentMounts mounts = new CurrentMounts();

    /** For Declarative Services. */
    @Activate
    public SwapCommands(
            BundleContext context,
            @Reference SessionFactory sessions,
            @Reference(target = "(scheme=nfs+rdma)") FileSystemProvider files) {
        this.context = context;
        this.sessions = sessions;
        this.files = files;
    }

    @Reference(cardinality = ReferenceCardinality.MULTIPLE, policy = ReferencePolicy.DYNAMIC)
    void addMount(Mount mount) {
        mounts.add(mount);
    }

    void removeMount(Mount mount) {
        mounts.remove(mount);
    }

    /** The command swap:run; fails with a line that tells the problem. */
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
        new SwapRun(context, sessions, files, mounts, settings, out).run();
    }

    /** The command swap:during; fails where one of the two commands fails. */
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
        load.stop(END_SECONDS); // after the command has ended
    }
}
