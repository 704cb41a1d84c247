package io.verbena.examples.felix;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.memory.internal.DirectMemory;
import io.verbena.nfs41.server.internal.NfsServer;
import io.verbena.nfs41.server.internal.ops.ExportSettings;
import io.verbena.nfs41.server.internal.ops.Squash;
import io.verbena.rpc.ListenOptions;
import io.verbena.rpc.RpcListener;
import io.verbena.rpcrdma.dispatcher.internal.RdmaRpcTransport;
import io.verbena.rpcrdma.v1.internal.VersionOneFraming;
import io.verbena.runtime.SystemRuntime;
import io.verbena.verbs.iwarp.internal.provider.IwarpProvider;
import java.io.File;
import java.io.IOException;
import java.io.Reader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.ServiceLoader;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.osgi.framework.Bundle;
import org.osgi.framework.Constants;
import org.osgi.framework.launch.Framework;
import org.osgi.framework.launch.FrameworkFactory;

/** Runs the bundles of the .bndrun in a framework of this process, against a server outside of the framework. */
@Timeout(60)
class GreeterIT {
    @Test
    void shouldGreetFromPlainFelix(@TempDir Path exported, @TempDir Path state, @TempDir Path storage)
            throws Exception {
        IwarpProvider provider = new IwarpProvider(new SystemRuntime(), new DirectMemory());
        Squash nobody = new Squash(Squash.Mode.NONE, Squash.NOBODY, Squash.NOBODY);
        ExportSettings settings = ExportSettings.of("test", exported).withSquash(nobody);
        try (RdmaRpcTransport transport = new RdmaRpcTransport(
                        new SystemRuntime(), new DirectMemory(), provider, List.of(new VersionOneFraming()), null);
                NfsServer server = new NfsServer(settings, state, new SystemRuntime());
                RpcListener listener = transport.listen(
                        ListenOptions.on(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)), server)) {
            run(storage, "nfs+rdma://127.0.0.1:" + listener.localAddress().getPort() + "/");
        } finally {
            provider.deactivate();
        }
        assertThat(exported.resolve("greeting")).hasContent("hello from io.verbena.examples.felix");
    }

    private static void run(Path storage, String uri) throws Exception {
        Properties bndrun = new Properties();
        try (Reader reader = Files.newBufferedReader(Path.of(System.getProperty("example.bndrun")))) {
            bndrun.load(reader);
        }
        Framework framework = ServiceLoader.load(FrameworkFactory.class)
                .findFirst()
                .orElseThrow()
                .newFramework(Map.of(
                        Constants.FRAMEWORK_STORAGE,
                        storage.toString(),
                        Constants.FRAMEWORK_SYSTEMPACKAGES_EXTRA,
                        bndrun.getProperty("-runsystempackages"),
                        "example.uri",
                        uri));
        framework.start();
        try {
            Map<String, String> jars = bundles();
            List<Bundle> installed = new ArrayList<>();
            for (String name : bndrun.getProperty("-runbundles").split("\\s*,\\s*", -1)) {
                assertThat(jars).containsKey(name);
                installed.add(framework.getBundleContext().installBundle("file:" + jars.get(name)));
            }
            for (Bundle bundle : installed) {
                bundle.start(); // the last bundle is the example, whose component is active when start returns
            }
            // The query includes all services, because the class path of this test contains another class of the same
            // interface.
            assertThat(framework.getBundleContext().getAllServiceReferences("io.verbena.nfs.transfer.CopyEngine", null))
                    .hasSize(1);
        } finally {
            framework.stop();
            framework.waitForStop(TimeUnit.SECONDS.toMillis(30));
        }
    }

    /** Returns the bundles of the class path, by symbolic name. */
    private static Map<String, String> bundles() throws IOException {
        Map<String, String> bundles = new HashMap<>();
        List<String> jars =
                new ArrayList<>(List.of(System.getProperty("java.class.path").split(File.pathSeparator, -1)));
        jars.add(System.getProperty("example.bundle"));
        for (String jar : jars) {
            if (jar.endsWith(".jar")) {
                try (JarFile file = new JarFile(jar)) {
                    Manifest manifest = file.getManifest();
                    String name = manifest == null
                            ? null
                            : manifest.getMainAttributes().getValue("Bundle-SymbolicName");
                    if (name != null) {
                        bundles.put(name.split(";", -1)[0].strip(), jar);
                    }
                }
            }
        }
        return bundles;
    }
}
