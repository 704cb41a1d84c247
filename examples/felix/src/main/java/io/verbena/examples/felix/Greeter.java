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

/** Mounts an export while the component is active, and writes a greeting to it. */
@Component(
        service = {},
        immediate = true)
public final class Greeter {
    private final FileSystem files;

    /** Mounts the export. The framework's property {@code example.uri} contains the URI of the export. */
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
