package io.verbena.nfs41.server.internal;

import io.verbena.nfs.Export;
import io.verbena.rpc.RpcTransport;
import io.verbena.rpc.security.RpcSecurity;
import io.verbena.runtime.Runtime;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.osgi.framework.BundleContext;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.ConfigurationPolicy;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ReferenceCardinality;
import org.osgi.service.component.annotations.ReferencePolicy;
import org.osgi.service.component.annotations.ReferencePolicyOption;
import org.osgi.service.metatype.annotations.Designate;

/** Makes an {@link Export} service of each configuration, whether or not it can listen. */
@Component(
        service = Export.class,
        configurationPid = Export.PID,
        configurationPolicy = ConfigurationPolicy.REQUIRE,
        immediate = true)
@Designate(ocd = ExportConfiguration.class, factory = true)
public final class ExportComponent implements Export {
    private final ExportService export;

    @Activate
    public ExportComponent(
            ExportConfiguration configuration,
            BundleContext context,
            @Reference ServerMemoryComponent memory,
            @Reference Runtime runtime) {
        ExportOptions options = ExportOptions.of(configuration);
        export = new ExportService(options, state(context, options.name()), memory.memory(), runtime);
    }

    /** A folder of the bundle's data area for each export name, whatever characters that has. */
    private static Path state(BundleContext context, String name) {
        UUID folder = UUID.nameUUIDFromBytes(name.getBytes(StandardCharsets.UTF_8));
        return context.getDataFile("exports").toPath().resolve(folder.toString());
    }

    @Reference(
            target = "(" + RpcTransport.NETID + "=rdma)",
            cardinality = ReferenceCardinality.OPTIONAL,
            policy = ReferencePolicy.DYNAMIC,
            policyOption = ReferencePolicyOption.GREEDY)
    void bindTransport(RpcTransport transport) {
        export.useTransport(transport);
    }

    void unbindTransport(RpcTransport transport) {
        export.dropTransport(transport);
    }

    @Reference(
            target = "(" + RpcSecurity.FLAVOR + "=6)",
            cardinality = ReferenceCardinality.OPTIONAL,
            policy = ReferencePolicy.DYNAMIC,
            policyOption = ReferencePolicyOption.GREEDY)
    void bindSecurity(RpcSecurity security) {
        export.useSecurity(security);
    }

    void unbindSecurity(RpcSecurity security) {
        export.dropSecurity(security);
    }

    @Deactivate
    void deactivate() {
        export.close();
    }

    @Override
    public String name() {
        return export.name();
    }

    @Override
    public Path directory() {
        return export.directory();
    }

    @Override
    public boolean isReadOnly() {
        return export.isReadOnly();
    }

    @Override
    public boolean isSync() {
        return export.isSync();
    }

    @Override
    public Optional<InetSocketAddress> localAddress() {
        return export.localAddress();
    }

    @Override
    public Optional<IOException> failure() {
        return export.failure();
    }

    @Override
    public void awaitListening(Duration timeout) throws IOException {
        export.awaitListening(timeout);
    }

    @Override
    public Optional<String> notice() {
        return export.notice();
    }

    @Override
    public Map<String, String> settings() {
        return export.settings();
    }

    @Override
    public Map<String, Long> counters() {
        return export.counters();
    }
}
