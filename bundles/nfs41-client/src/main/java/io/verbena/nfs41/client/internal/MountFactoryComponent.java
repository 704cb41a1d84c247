package io.verbena.nfs41.client.internal;

import io.verbena.nfs.ClosableMount;
import io.verbena.nfs.MountFactory;
import io.verbena.nfs.MountOptions;
import io.verbena.rpc.RpcTransport;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ReferenceCardinality;
import org.osgi.service.component.annotations.ReferencePolicy;
import org.osgi.service.component.annotations.ReferencePolicyOption;

/** Makes mounts for programs of this container, and ends those that are left. Thread safe. */
@Component(
        service = MountFactory.class,
        immediate = true) // mounts do not end because nobody has the service for a while
public final class MountFactoryComponent implements MountFactory {
    private final Set<NfsMount> mounts = new LinkedHashSet<>();
    private RpcTransport transport;
    private boolean stopped;

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

    /** A transport goes. */
    void unsetTransport(RpcTransport gone) {
        List<NfsMount> present;
        synchronized (this) {
            transport = transport == gone ? null : transport;
            present = List.copyOf(mounts);
        }
        present.forEach(mount -> mount.transportGone(gone));
    }

    @Override
    public ClosableMount mount(String name, String server, String export, MountOptions options) {
        // made under the lock, so that it is told of every transport that comes or goes
        synchronized (this) {
            if (stopped) {
                throw new IllegalStateException("the NFS client was stopped: another will make mounts");
            }
            Made made = new Made();
            made.mount = NfsMount.create(name, server, export, options.toString(), transport, made);
            mounts.add(made.mount);
            return made.mount;
        }
    }

    private final class Made implements Runnable {
        private NfsMount mount;

        @Override
        public void run() {
            synchronized (MountFactoryComponent.this) {
                mounts.remove(mount);
            }
        }
    }

    /** Whoever uses a mount can go on with another one, of the next factory. */
    @Deactivate
    void deactivate() {
        List<NfsMount> left;
        synchronized (this) {
            stopped = true;
            left = List.copyOf(mounts);
        }
        left.forEach(mount -> mount.end(Lifetime.End.REPLACED));
    }
}
