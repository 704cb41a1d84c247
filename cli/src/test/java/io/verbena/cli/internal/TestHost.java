package io.verbena.cli.internal;

import io.verbena.nfs.Export;
import io.verbena.nfs.Mount;
import io.verbena.nfs.MountOptions;
import io.verbena.nfs.transfer.fixture.DirectoryMount;
import io.verbena.nfs.transfer.internal.engine.TransferEngine;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Dictionary;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.FrameworkUtil;

/**
 * Simulates a container. It creates a mount of a directory for every mount configuration, and an export for every
 * export configuration.
 */
public final class TestHost implements AutoCloseable {
    private Path served;
    private final Map<String, DirectoryMount> mounts = new HashMap<>();
    private final List<DirectoryMount> gone = new ArrayList<>();
    private final Map<String, Export> exports = new HashMap<>();
    private final FakeConfigurations configurations = new FakeConfigurations(this::updated, this::deleted);
    private final Mounts mountService = new Mounts(context(), configurations.admin());
    private final TransferEngine engine = new TransferEngine();
    private final Exports exportService = new Exports(configurations.admin());
    private DirectoryMount.Hook hook = (operation, path, position) -> {};

    /**
     * Creates a host.
     *
     * @param served the directory that every mount shows while nothing is exported
     */
    public TestHost(Path served) {
        this.served = served;
        mountService.setEngine(engine);
    }

    /** Stops the engine's bundle. */
    public void stopEngine() {
        engine.close();
        mountService.unsetEngine(engine);
    }

    /** Returns the context of a bundle that stops while the container continues. */
    private static BundleContext context() {
        Bundle bundle = proxy(Bundle.class, arguments -> Bundle.STOPPING);
        Bundle container = proxy(Bundle.class, arguments -> Bundle.ACTIVE);
        return proxy(BundleContext.class, arguments -> arguments == null ? bundle : container);
    }

    private static <T> T proxy(Class<T> type, Function<Object[], Object> answer) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> answer.apply(arguments)));
    }

    /** Stops the shell's bundle. */
    public void stopBundle() throws InterruptedException {
        mountService.deactivate();
    }

    public Mounts mounts() {
        return mountService;
    }

    public Exports exports() {
        return exportService;
    }

    public Map<String, Dictionary<String, Object>> configurations() {
        return configurations.all();
    }

    /** Sets the hook of the mounts that are created from now on. */
    public void hook(DirectoryMount.Hook newHook) {
        hook = newHook;
    }

    /** Returns the directory that mounts show. */
    public Path exported() {
        return exports.values().stream().findFirst().map(Export::directory).orElse(served);
    }

    public DirectoryMount mount(String name) throws Exception {
        return mount(name, "");
    }

    public DirectoryMount mount(String name, String options) throws Exception {
        mountService.mount(name, "server", "/export", MountOptions.parse(options));
        return mounts.get(name);
    }

    /** Removes the client's bundle and adds it again. Must be called by one thread at a time. */
    public synchronized DirectoryMount replace(String name) {
        takeAway(name);
        return comeBack(name);
    }

    /** Adds the client's bundle again. */
    public synchronized DirectoryMount comeBack(String name) {
        DirectoryMount successor = new DirectoryMount(name, served);
        successor.hook(hook);
        mounts.put(name, successor);
        add(successor);
        return successor;
    }

    /** Removes the client's bundle permanently. */
    public synchronized void takeAway(String name) {
        DirectoryMount old = mounts.get(name);
        mountService.removeMount(old);
        old.setReplaced();
        gone.add(old);
    }

    /** Unmounts a mount while the client's bundle is absent. */
    public void forget(String name) {
        configurations.forget(Mount.PID + "~" + name);
    }

    private void add(DirectoryMount mount) {
        Dictionary<String, Object> properties = configurations.all().get(Mount.PID + "~" + mount.name());
        mountService.addMount(mount, FrameworkUtil.asMap(properties));
    }

    /**
     * Gives the address of the server to another server. Mounts that are created from now on show another directory.
     */
    public synchronized void serve(Path directory) {
        served = directory;
    }

    /** Changes the configuration of a mount. The change affects the mounts that are created from now on. */
    public synchronized void configure(String name, String key, String value) {
        configurations.all().get(Mount.PID + "~" + name).put(key, value);
    }

    private void updated(String pid, Dictionary<String, Object> properties) {
        String name = pid.substring(pid.indexOf('~') + 1);
        if (pid.startsWith(Mount.PID)) {
            DirectoryMount mount = new DirectoryMount(name, exported());
            mount.hook(hook);
            mounts.put(name, mount);
            add(mount);
        } else {
            Export export = new FakeExport(name, Path.of((String) properties.get(Export.DIRECTORY)));
            exports.put(name, export);
            exportService.addExport(export);
        }
    }

    private void deleted(String pid) {
        String name = pid.substring(pid.indexOf('~') + 1);
        if (pid.startsWith(Mount.PID)) {
            DirectoryMount mount = mounts.remove(name);
            mountService.removeMount(mount);
            mount.close();
        } else {
            exportService.removeExport(exports.remove(name));
        }
    }

    @Override
    public void close() {
        mounts.values().forEach(DirectoryMount::close);
        gone.forEach(DirectoryMount::close);
    }

    private record FakeExport(String name, Path directory) implements Export {
        @Override
        public boolean isReadOnly() {
            return false;
        }

        @Override
        public Optional<InetSocketAddress> localAddress() {
            return Optional.of(new InetSocketAddress(InetAddress.getLoopbackAddress(), 4711));
        }

        @Override
        public Optional<IOException> failure() {
            return Optional.empty();
        }

        @Override
        public void awaitListening(Duration timeout) throws IOException {
            if (directory.endsWith("refused")) {
                throw new IOException("address already in use");
            }
        }

        @Override
        public Map<String, String> settings() {
            return Map.of("provider", "iwarp", "providerChoice", "auto: serves every peer that speaks iWARP");
        }

        @Override
        public Map<String, Long> counters() {
            return Map.of("clients", 1L);
        }
    }
}
