package io.verbena.nfs41.client.internal.mount;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.memory.MemoryBudget;
import io.verbena.nfs.ClosableMount;
import io.verbena.nfs.MountFactory;
import io.verbena.nfs.MountOptions;
import io.verbena.nfs41.client.internal.util.MountLifetime;
import io.verbena.rpc.RpcTransport;
import io.verbena.rpc.security.RpcSecurity;
import io.verbena.runtime.Runtime;
import io.verbena.runtime.SideBySide;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import javax.security.auth.Subject;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ReferenceCardinality;
import org.osgi.service.component.annotations.ReferencePolicy;
import org.osgi.service.component.annotations.ReferencePolicyOption;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes mounts for programs in this container, and ends the remaining ones with the bundle. Thread safe. */
@Component(
        name = "io.verbena.nfs41.client.internal.MountFactoryComponent",
        service = MountFactory.class,
        immediate = true) // mounts live without users of the service
public final class MountFactoryComponent implements MountFactory {
    private static final Logger LOG = LoggerFactory.getLogger(MountFactoryComponent.class);

    @GuardedBy("this")
    private final Set<NfsMount> mounts = new LinkedHashSet<>();

    private final MemoryBudget memory;
    private final Runtime runtime;

    @GuardedBy("this")
    private RpcTransport transport;

    @GuardedBy("this")
    private RpcSecurity security;

    @GuardedBy("this")
    private boolean stopped;

    @Activate
    public MountFactoryComponent(@Reference MemoryBudget memory, @Reference Runtime runtime) {
        this.memory = memory;
        this.runtime = runtime;
    }

    /** A transport has come. */
    @Reference(
            target = "(" + RpcTransport.NETID + "=rdma)",
            cardinality = ReferenceCardinality.OPTIONAL,
            policy = ReferencePolicy.DYNAMIC,
            policyOption = ReferencePolicyOption.GREEDY)
    void setTransport(RpcTransport came) {
        List<NfsMount> present;
        synchronized (this) {
            transport = came;
            present = List.copyOf(mounts);
        }
        present.forEach(mount -> mount.transportCame(came));
    }

    /** A transport will be stopped. */
    void unsetTransport(RpcTransport gone) {
        List<NfsMount> present;
        synchronized (this) {
            transport = transport == gone ? null : transport;
            present = List.copyOf(mounts);
        }
        sideBySide(present, mount -> mount.transportGone(gone));
    }

    /** A service for security contexts has come. */
    @Reference(
            target = "(" + RpcSecurity.FLAVOR + "=6)",
            cardinality = ReferenceCardinality.OPTIONAL,
            policy = ReferencePolicy.DYNAMIC,
            policyOption = ReferencePolicyOption.GREEDY)
    void setSecurity(RpcSecurity came) {
        List<NfsMount> present;
        synchronized (this) {
            security = came;
            present = List.copyOf(mounts);
        }
        present.forEach(mount -> mount.securityCame(came));
    }

    /** A service for security contexts will be stopped. */
    void unsetSecurity(RpcSecurity gone) {
        List<NfsMount> present;
        synchronized (this) {
            security = security == gone ? null : security;
            present = List.copyOf(mounts);
        }
        present.forEach(mount -> mount.securityGone(gone));
    }

    @Override
    public ClosableMount mount(String name, String server, String export, MountOptions options) {
        return mount(name, server, export, options, null);
    }

    @Override
    public ClosableMount mount(String name, String server, String export, MountOptions options, Subject user) {
        // made under the lock: the mount misses no transport that comes or goes
        synchronized (this) {
            if (stopped) {
                throw new IllegalStateException("the NFS client was stopped: another will make mounts");
            }
            Made made = new Made();
            MountUser by = new MountUser(security, user);
            made.mount =
                    NfsMount.create(name, server, export, options.toString(), transport, by, memory, runtime, made);
            mounts.add(made.mount);
            return made.mount;
        }
    }

    private final class Made implements Runnable {
        // guarded by the factory; the check cannot tell that "made" in mount() is of this factory
        private NfsMount mount;

        @Override
        public void run() {
            synchronized (MountFactoryComponent.this) {
                mounts.remove(mount);
            }
        }
    }

    /** Ends all mounts. Their users can go on with mounts of the next factory. */
    @Deactivate
    void deactivate() {
        List<NfsMount> left;
        synchronized (this) {
            stopped = true;
            left = List.copyOf(mounts);
        }
        sideBySide(left, mount -> mount.end(MountLifetime.End.REPLACED));
    }

    /** A step of which each may wait for the server of its mount. */
    private void sideBySide(List<NfsMount> which, Consumer<NfsMount> step) {
        List<SideBySide.Step> steps = which.stream()
                .map(mount -> (SideBySide.Step) () -> step.accept(mount))
                .toList();
        for (Throwable thrown : SideBySide.run(runtime, "verbena-nfs-mounts", steps)) {
            LOG.warn("a mount was not left in order: {}", thrown.toString(), thrown);
        }
    }
}
