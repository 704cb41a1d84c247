package io.verbena.nfs41.client.internal;

import io.verbena.nfs.Mount;
import io.verbena.rpc.RpcTransport;
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

/** Makes a mount of each configuration of the factory {@link Mount#PID}. */
@Component(
        service = Mount.class,
        configurationPid = Mount.PID,
        configurationPolicy = ConfigurationPolicy.REQUIRE,
        immediate = true) // a mount does not end because nobody has the service for a while, and knows why it does end
@Designate(ocd = MountConfiguration.class, factory = true)
public final class MountComponent extends NfsMount {
    private final Handover handover;

    /** Begins to connect; the transport may come later. */
    @Activate
    public MountComponent(MountConfiguration configuration, BundleContext context) {
        this(configuration, handover(configuration, context));
    }

    private MountComponent(MountConfiguration configuration, Handover handover) {
        super(
                configuration.verbena_mount_name(),
                configuration.server(),
                configuration.export(),
                configuration.options(),
                null,
                handover.take(),
                () -> {});
        this.handover = handover;
    }

    private static Handover handover(MountConfiguration configuration, BundleContext context) {
        return new Handover(
                context.getDataFile(Handover.fileName(configuration.verbena_mount_name())),
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

    /** A transport goes. */
    void unsetTransport(RpcTransport transport) {
        transportGone(transport);
    }

    /** Somebody listens: there where Event Admin is. */
    @Reference(
            cardinality = ReferenceCardinality.OPTIONAL,
            policy = ReferencePolicy.DYNAMIC,
            policyOption = ReferencePolicyOption.GREEDY)
    void setSwapListener(SwapListener listener) {
        listen(listener);
    }

    /** Nobody listens any more. */
    void unsetSwapListener(SwapListener listener) {
        listenNoMore(listener);
    }

    /**
     * Ends the mount: for good where its configuration was deleted, to be replaced in all other cases.
     *
     * @param reason of {@link ComponentConstants}
     */
    @Deactivate
    void deactivate(int reason) {
        boolean unmounted = reason == ComponentConstants.DEACTIVATION_REASON_CONFIGURATION_DELETED
                || reason == ComponentConstants.DEACTIVATION_REASON_DISPOSED;
        if (!unmounted && wasMounted()) {
            handover.leave(owner(), past());
        }
        end(unmounted ? Lifetime.End.UNMOUNTED : Lifetime.End.REPLACED);
    }
}
