package io.verbena.nfs41.client.internal.mount;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.memory.MemoryBudget;
import io.verbena.nfs.Mount;
import io.verbena.nfs.RemoteFile;
import io.verbena.nfs41.client.internal.testing.Stack;
import io.verbena.nfs41.server.internal.NfsServer;
import io.verbena.nfs41.server.internal.ops.ExportSettings;
import io.verbena.nfs41.server.internal.ops.Squash;
import io.verbena.rpc.ListenOptions;
import io.verbena.rpc.RpcListener;
import io.verbena.rpc.RpcTransport;
import io.verbena.runtime.Runtime;
import io.verbena.runtime.SystemRuntime;
import java.lang.ref.WeakReference;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import jdk.jfr.Recording;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The client in a class loader of its own, as its bundle is, over a transport that stays. */
@Timeout(120)
class ClassLoaderTest {
    @TempDir
    Path folder;

    /** Loads the client's classes itself, all others by the loader of this test. */
    private static final class BundleLoader extends URLClassLoader {
        private static final String PACKAGE = "io.verbena.nfs41.client.internal.";

        BundleLoader() {
            super(
                    new URL[] {
                        NfsMount.class.getProtectionDomain().getCodeSource().getLocation()
                    },
                    ClassLoaderTest.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            synchronized (getClassLoadingLock(name)) {
                if (!name.startsWith(PACKAGE)) {
                    return super.loadClass(name, resolve);
                }
                Class<?> loaded = findLoadedClass(name);
                return loaded == null ? findClass(name) : loaded;
            }
        }
    }

    @Test
    void shouldBeKeptByNothingOnceTheMountHasEnded() throws Exception {
        mountUnmountAndForget();
    }

    @Test
    void shouldNotBeKeptByARecordingOfItsRequests() throws Exception {
        try (Recording recording = new Recording()) {
            recording.enable("io.verbena.nfs.Request");
            recording.start();
            mountUnmountAndForget();
        }
    }

    private void mountUnmountAndForget() throws Exception {
        Path exported = Files.createDirectory(folder.resolve("export"));
        ExportSettings settings = ExportSettings.of("test", exported)
                .withSquash(new Squash(Squash.Mode.NONE, Squash.NOBODY, Squash.NOBODY));
        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        try (Stack serverSide = new Stack();
                Stack clientSide = new Stack();
                NfsServer server = new NfsServer(settings, folder.resolve("state"), new SystemRuntime());
                RpcListener listener = serverSide.transport().listen(ListenOptions.on(any), server)) {
            WeakReference<ClassLoader> loader = mountAndUnmount(
                    clientSide.transport(),
                    clientSide.memory(),
                    listener.localAddress().getPort());
            while (loader.get() != null) { // within the test's bound
                System.gc();
                Thread.onSpinWait();
            }
        }
    }

    private static WeakReference<ClassLoader> mountAndUnmount(RpcTransport transport, MemoryBudget memory, int port)
            throws Exception {
        try (BundleLoader loader = new BundleLoader()) {
            Mount mount = (Mount) loader.loadClass(NfsMount.class.getName())
                    .getMethod(
                            "create",
                            String.class,
                            String.class,
                            String.class,
                            String.class,
                            RpcTransport.class,
                            MemoryBudget.class,
                            Runtime.class)
                    .invoke(null, "m", "127.0.0.1", "/", "port=" + port, transport, memory, new SystemRuntime());
            assertThat(mount).isNotInstanceOf(NfsMount.class);
            mount.connect(Duration.ofSeconds(30));
            Set<StandardOpenOption> options =
                    Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.READ);
            RemoteFile file = mount.open("/file", options, 0600);
            file.write(ByteBuffer.wrap(new byte[100_000]), 0);
            mount.attributesAsync("/file").get(30, TimeUnit.SECONDS);
            ((AutoCloseable) mount).close();
            return new WeakReference<>(loader);
        }
    }
}
