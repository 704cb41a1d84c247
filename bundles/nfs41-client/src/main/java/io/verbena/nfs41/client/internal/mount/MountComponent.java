package io.verbena.nfs41.client.internal.mount;

import io.verbena.memory.MemoryBudget;
import io.verbena.nfs.Mount;
import io.verbena.nfs41.client.internal.figures.MountSwapListener;
import io.verbena.nfs41.client.internal.util.MountLifetime;
import io.verbena.rpc.RpcTransport;
import io.verbena.rpc.security.RpcSecurity;
import io.verbena.runtime.Runtime;
import io.verbena.runtime.SideBySide;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.osgi.framework.BundleContext;
import org.osgi.service.component.ComponentConstants;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.ConfigurationPolicy;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ReferenceCardinality;
import org.osgi.service.component.annotations.ReferencePolicy;
import org.osgi.service.component.annotations.ReferencePolicyOption;
import org.osgi.service.metatype.annotations.Designate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes a mount of each configuration of the factory {@link Mount#PID}. */
@Component(
        name = "io.verbena.nfs41.client.internal.MountComponent",
        service = Mount.class,
        configurationPid = Mount.PID,
        configurationPolicy = ConfigurationPolicy.REQUIRE,
        immediate = true) // a mount lives without users of its service, and has to know why it ends
@Designate(ocd = MountConfiguration.class, factory = true)
public final class MountComponent extends NfsMount {
    private static final Logger LOG = LoggerFactory.getLogger(MountComponent.class);

    /** The mounts of the bundle that are not deactivated. */
    private static final Set<MountComponent> PRESENT = ConcurrentHashMap.newKeySet();

    private final MountHandover handover;
    private final Runtime runtime;

    /** Begins to connect; the transport may come later. */
    @Activate
    public MountComponent(
            MountConfiguration configuration,
            BundleContext context,
            @Reference MemoryBudget memory,
            @Reference Runtime runtime) {
        this(configuration, memory, runtime, handover(configuration, context));
    }

    private MountComponent(
            MountConfiguration configuration, MemoryBudget memory, Runtime runtime, MountHandover handover) {
        super(
                configuration.verbena_mount_name(),
                configuration.server(),
                configuration.export(),
                configuration.options(),
                null,
                MountUser.OF_OPTIONS,
                memory,
                runtime,
                handover.take(),
                () -> {});
        this.handover = handover;
        this.runtime = runtime;
        PRESENT.add(this);
    }

    private static MountHandover handover(MountConfiguration configuration, BundleContext context) {
        return new MountHandover(
                context.getDataFile(MountHandover.fileName(configuration.verbena_mount_name())),
                configuration.server() + ":" + configuration.export() + " " + configuration.options());
    }

    /** A transport has come. */
    @Reference(
            target = "(" + RpcTransport.NETID + "=rdma)",
            cardinality = ReferenceCardinality.OPTIONAL,
            policy = ReferencePolicy.DYNAMIC,
            policyOption = ReferencePolicyOption.GREEDY)
    void setTransport(RpcTransport transport) {
        transportCame(transport);
    }

    /** A transport will be stopped. */
    void unsetTransport(RpcTransport transport) {
        transportGone(transport);
    }

    /** A service for security contexts has come. */
    @Reference(
            target = "(" + RpcSecurity.FLAVOR + "=6)",
            cardinality = ReferenceCardinality.OPTIONAL,
            policy = ReferencePolicy.DYNAMIC,
            policyOption = ReferencePolicyOption.GREEDY)
    void setSecurity(RpcSecurity security) {
        securityCame(security);
    }

    /** A service for security contexts will be stopped. */
    void unsetSecurity(RpcSecurity security) {
        securityGone(security);
    }

    /** A listener has come; there is one where Event Admin is. */
    @Reference(
            cardinality = ReferenceCardinality.OPTIONAL,
            policy = ReferencePolicy.DYNAMIC,
            policyOption = ReferencePolicyOption.GREEDY)
    void setSwapListener(MountSwapListener listener) {
        listen(listener);
    }

    /** The listener has gone. */
    void unsetSwapListener(MountSwapListener listener) {
        listenNoMore(listener);
    }

    /**
     * Ends the mount: for good where its configuration was deleted, to be replaced in all other cases. Where the bundle
     * stops, all of its mounts end side by side: Declarative Services deactivates one after the other, and each may
     * wait for its server.
     *
     * @param reason of {@link ComponentConstants}
     */
    @Deactivate
    void deactivate(int reason) {
        boolean unmounted = reason == ComponentConstants.DEACTIVATION_REASON_CONFIGURATION_DELETED
                || reason == ComponentConstants.DEACTIVATION_REASON_DISPOSED;
        if (reason == ComponentConstants.DEACTIVATION_REASON_BUNDLE_STOPPED) {
            endAll();
        } else if (PRESENT.remove(this)) {
            endNow(unmounted);
        }
    }

    private void endAll() {
        List<SideBySide.Step> ends = new ArrayList<>();
        for (MountComponent each : List.copyOf(PRESENT)) {
            if (PRESENT.remove(each)) {
                ends.add(() -> each.endNow(false));
            }
        }
        for (Throwable thrown : SideBySide.run(runtime, "verbena-nfs-mounts", ends)) {
            LOG.warn("a mount has not ended in order: {}", thrown.toString(), thrown);
        }
    }

    private void endNow(boolean unmounted) {
        if (!unmounted && wasMounted()) {
            handover.leave(predecessor());
        }
        end(unmounted ? MountLifetime.End.UNMOUNTED : MountLifetime.End.REPLACED);
    }
}
