package io.verbena.nfs41.client.internal;

import io.verbena.nfs.Mount;
import io.verbena.rpc.RpcTransport;
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
@Component(service = Mount.class, configurationPid = Mount.PID, configurationPolicy = ConfigurationPolicy.REQUIRE)
@Designate(ocd = MountConfiguration.class, factory = true)
public final class MountComponent extends NfsMount {
    /** Begins to connect; the transport may come later. */
    @Activate
    public MountComponent(MountConfiguration configuration) {
        super(
                configuration.verbena_mount_name(),
                configuration.server(),
                configuration.export(),
                configuration.options(),
                null);
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

    @Override
    @Deactivate
    public void close() {
        super.close();
    }
}
