package io.verbena.cli.internal.resident;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.cli.Text;
import io.verbena.cli.internal.Exports;
import io.verbena.cli.internal.Mounts;
import io.verbena.cli.internal.script.Scripts;
import io.verbena.text.LocalNames;
import io.verbena.text.OctetText;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.time.Instant;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import jdk.net.ExtendedSocketOptions;
import org.apache.karaf.features.BootFinished;
import org.apache.karaf.shell.api.console.SessionFactory;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.BundleException;
import org.osgi.framework.FrameworkEvent;
import org.osgi.framework.FrameworkListener;
import org.osgi.framework.launch.Framework;
import org.osgi.service.cm.ConfigurationAdmin;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Listens on the Unix domain socket that the launcher names by {@value #PATH}, and runs the scripts of clients of the
 * same user. The process ends when it has been idle, when its distribution is replaced, or when a script has changed
 * it.
 */
@Component(
        service = {},
        immediate = true)
public final class ResidentInstance {
    private static final Logger LOG = LoggerFactory.getLogger(ResidentInstance.class);

    /** The path of the socket without its suffix. A file beside it contains the key. */
    static final String PATH = "verbena.resident";

    /** The time in seconds after which an idle instance ends; 0 for never. */
    private static final String IDLE = "verbena.resident.idle";

    /** Whether a service of the system keeps the instance, for all scripts with its directory of state. */
    private static final String SERVICE = "verbena.resident.service";

    private static final String STARTED = "verbena.resident.started";
    private static final String STATE = "verbena.state";
    private static final int DEFAULT_IDLE_SECONDS = 600;
    private static final int MOST_SHARED = 32;
    private static final int MOST_CONNECTIONS = 64;
    private static final long LOOK_SECONDS = 2;
    private static final long START_SECONDS = 60;
    private static final long QUIET_MILLIS = 300;
    private static final int MOST_LOOKS = 20;
    private static final long END_SECONDS = 10;
    private static final long STOP_SECONDS = 30;
    private static final long END_LOOK_MILLIS = 10;

    private final Instant since = Instant.now();
    private final Framework container;
    private final AtomicBoolean isEnding = new AtomicBoolean();
    private final ScheduledThreadPoolExecutor timer;
    private final Scripts scripts;
    private final String base;

    /** Whether several scripts run at a time, and keep what they leave. */
    private final boolean isShared;

    private final Leftovers leftovers;
    private final Occupancy occupancy;
    private final Reception reception;

    @GuardedBy("this")
    private ServerSocketChannel listener;

    @GuardedBy("this")
    private Home home;

    /** Starts to listen, if the launcher wants that. */
    @Activate
    public ResidentInstance(
            BundleContext context,
            @Reference BootFinished booted,
            @Reference SessionFactory sessions,
            @Reference ConfigurationAdmin admin,
            @Reference Mounts mounts,
            @Reference Exports exports)
            throws IOException {
        container = (Framework) context.getBundle(0);
        String path = System.getProperty(PATH);
        if (path == null || System.setProperty(STARTED, "true") != null) {
            timer = null;
            scripts = null;
            base = null;
            isShared = false;
            leftovers = null;
            occupancy = null;
            reception = null;
            return;
        }
        base = path;
        isShared = System.getProperty(STATE) != null;
        boolean isService = Boolean.getBoolean(SERVICE);
        String key = OctetText.decode(Files.readAllBytes(beside(".key")));
        timer = new ScheduledThreadPoolExecutor(1, work -> daemon(work, "verbena-resident-timer"));
        timer.setRemoveOnCancelPolicy(true);
        scripts = new Scripts(container.getBundleContext(), sessions);
        occupancy = new Occupancy(isShared ? MOST_SHARED : 1, System::nanoTime);
        leftovers = new Leftovers(container.getBundleContext(), admin, mounts, exports);
        reception = new Reception(
                new Reception.Terms(key, isShared, isService),
                scripts,
                isShared ? () -> () -> true : this::isolation,
                occupancy,
                timer,
                new Reception.Instance() {
                    @Override
                    public void end(String reason) {
                        ResidentInstance.this.end(reason);
                    }

                    @Override
                    public String status() {
                        return ResidentInstance.this.status();
                    }
                });
        daemon(this::run, "verbena-resident").start();
    }

    private Path beside(String suffix) {
        return LocalNames.path(base + suffix);
    }

    private Supplier<Boolean> isolation() {
        try {
            Fingerprint before = leftovers.before();
            return () -> leftovers.remove(before);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Thread daemon(Runnable work, String name) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        return thread;
    }

    /** The socket is there under its name only when only this user may use it. */
    private static ServerSocketChannel listen(Path made, Path socket) throws IOException {
        Files.deleteIfExists(made);
        ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        boolean isListening = false;
        try {
            listener.bind(UnixDomainSocketAddress.of(made), MOST_CONNECTIONS);
            Files.setPosixFilePermissions(made, PosixFilePermissions.fromString("rw-------"));
            Files.move(made, socket, StandardCopyOption.ATOMIC_MOVE);
            isListening = true;
            return listener;
        } finally {
            if (!isListening) {
                listener.close();
            }
        }
    }

    /** Takes clients, once the container has started all its bundles. */
    private void run() {
        try {
            awaitStart();
            if (!isShared) {
                awaitQuiet();
            }
            Path socket = beside(".sock");
            ServerSocketChannel opened = listen(beside(".new"), socket);
            long idleNanos = TimeUnit.SECONDS.toNanos(Integer.getInteger(IDLE, DEFAULT_IDLE_SECONDS));
            synchronized (this) {
                listener = opened;
                home = new Home(Home.ofDistribution(socket));
            }
            ScheduledFuture<?> unused =
                    timer.scheduleWithFixedDelay(() -> look(idleNanos), LOOK_SECONDS, LOOK_SECONDS, TimeUnit.SECONDS);
            LOG.info("scripts are taken at {}", LocalNames.shown(socket));
            accept(opened, Files.getOwner(socket));
        } catch (ClosedChannelException e) {
            LOG.debug("no more scripts are taken", e);
        } catch (IOException | RuntimeException | Error e) {
            LOG.error("no more scripts can be taken", e);
            end("the socket has failed");
        } catch (InterruptedException e) {
            LOG.debug("nobody interrupts this thread", e);
        }
    }

    private void awaitStart() throws InterruptedException {
        CountDownLatch started = new CountDownLatch(1);
        FrameworkListener listening = event -> {
            if (event.getType() == FrameworkEvent.STARTED) {
                started.countDown();
            }
        };
        BundleContext context = container.getBundleContext();
        context.addFrameworkListener(listening);
        try {
            if (container.getState() != Bundle.ACTIVE && !started.await(START_SECONDS, TimeUnit.SECONDS)) {
                LOG.warn("the container has not started after {} s", START_SECONDS);
            }
        } finally {
            context.removeFrameworkListener(listening);
        }
    }

    /**
     * Waits until the threads that the start has left behind have changed what they change. It is only for the time of
     * scripts: one that sees such a change runs as any other, and the instance ends after it.
     */
    private void awaitQuiet() throws IOException, InterruptedException {
        Fingerprint before = leftovers.before();
        for (int looks = 0; looks < MOST_LOOKS; looks++) {
            TimeUnit.MILLISECONDS.sleep(QUIET_MILLIS);
            Fingerprint now = leftovers.before();
            if (now.equals(before)) {
                return;
            }
            before = now;
        }
    }

    private void accept(ServerSocketChannel opened, UserPrincipal user) throws IOException {
        while (true) {
            SocketChannel client = opened.accept();
            if (!isOf(user, client) || reception.clients() >= MOST_CONNECTIONS) {
                client.close();
            } else {
                Connection connection = new Connection(client);
                daemon(() -> reception.serve(connection), "verbena-resident-read")
                        .start();
            }
        }
    }

    /** Returns whether a client is a process of this user. The kernel knows that; the mode of the socket only helps. */
    private static boolean isOf(UserPrincipal user, SocketChannel client) {
        try {
            return user.equals(
                    client.getOption(ExtendedSocketOptions.SO_PEERCRED).user());
        } catch (IOException | UnsupportedOperationException e) {
            LOG.warn("the user of a client is not known", e);
            return false;
        }
    }

    private synchronized boolean isAtHome() {
        return home != null && home.isThere();
    }

    private void look(long idleNanos) {
        if (!isAtHome()) {
            occupancy.end();
            if (occupancy.endIfIdle(0)) {
                end("the distribution or the socket is not what it was");
            }
        } else if (idleNanos > 0 && occupancy.endIfIdle(idleNanos)) {
            end("idle");
        }
    }

    private String status() {
        String state = System.getProperty(STATE);
        int running = occupancy.running();
        return "process " + ProcessHandle.current().pid()
                + (state == null ? "" : ", state " + Text.printable(state))
                + ", since " + Text.time(since)
                + ", scripts taken: " + occupancy.taken()
                + ", running: " + running;
    }

    /** Stops the container in order, on a thread of its own, and then the process. */
    private void end(String reason) {
        occupancy.end();
        if (isEnding.compareAndSet(false, true)) {
            LOG.info("the instance ends: {}", reason);
            daemon(this::stop, "verbena-resident-end").start();
        }
    }

    private void stop() {
        try {
            container.stop();
            container.waitForStop(TimeUnit.SECONDS.toMillis(STOP_SECONDS));
        } catch (BundleException e) {
            LOG.error("the container does not stop", e);
        } catch (InterruptedException e) {
            LOG.debug("nobody interrupts this thread", e);
        } finally {
            System.exit(0);
        }
    }

    /** Ends scripts while the services that they use are there, and lets their clients know. */
    @Deactivate
    void deactivate() throws InterruptedException, IOException {
        if (reception == null) {
            return;
        }
        occupancy.end();
        if (isAtHome()) {
            Files.deleteIfExists(beside(".sock")); // otherwise it is that of another instance
        }
        synchronized (this) {
            if (listener != null) {
                listener.close();
            }
        }
        reception.interruptAll();
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(END_SECONDS);
        while (reception.clients() + occupancy.running() > 0 && System.nanoTime() - deadline < 0) {
            TimeUnit.MILLISECONDS.sleep(END_LOOK_MILLIS);
        }
        scripts.close();
        timer.shutdownNow();
        end("its component has ended");
    }
}
