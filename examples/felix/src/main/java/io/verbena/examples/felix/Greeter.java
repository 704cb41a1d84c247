package io.verbena.examples.felix;

import java.io.IOException;
import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.spi.FileSystemProvider;
import java.util.Map;
import org.osgi.framework.BundleContext;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;

/** Mounts an export for as long as it is active, and leaves a greeting there. */
@Component(
        service = {},
        immediate = true)
public final class Greeter {
    private final FileSystem files;

    /** Takes the URI of the export from the framework's property {@code example.uri}. */
    @Activate
    public Greeter(BundleContext context, @Reference(target = "(scheme=nfs+rdma)") FileSystemProvider provider)
            throws IOException {
        files = provider.newFileSystem(URI.create(context.getProperty("example.uri")), Map.of());
        Files.writeString(
                files.getPath("/greeting"), "hello from " + context.getBundle().getSymbolicName());
    }

    @Deactivate
    void unmount() throws IOException {
        files.close();
    }
}
