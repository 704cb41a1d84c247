package io.verbena.verbs.iwarp.internal.provider;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.memory.MemoryBudget;
import io.verbena.memory.internal.DirectMemory;
import io.verbena.runtime.Runtime;
import io.verbena.runtime.SystemRuntime;
import io.verbena.verbs.WireTap;
import io.verbena.verbs.iwarp.internal.connection.IwarpConnection;
import io.verbena.verbs.iwarp.internal.connection.ProviderContext;
import io.verbena.verbs.iwarp.internal.memory.RandomNumbers;
import io.verbena.verbs.iwarp.internal.settings.IwarpSettings;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** A listener where the system lacks threads or sockets. */
class IwarpListenerTest {
    /** Has no thread for the first peer. */
    private static final class ShortOfThreads implements ProviderContext {
        private final AtomicBoolean failed = new AtomicBoolean();
        private final DirectMemory memory = new DirectMemory();
        private final SystemRuntime runtime = new SystemRuntime();
        private final RandomNumbers random = new RandomNumbers(runtime.random());
        private final WireTap tap = new WireTap((observer, failure) -> {});

        @Override
        public Thread newThread(String name, Runnable work) {
            if (name.startsWith("iwarp-handshake-") && failed.compareAndSet(false, true)) {
                throw new OutOfMemoryError("unable to create native thread");
            }
            return ProviderContext.super.newThread(name, work);
        }

        @Override
        public Runtime runtime() {
            return runtime;
        }

        @Override
        public IwarpSettings settings() {
            return IwarpSettings.DEFAULT;
        }

        @Override
        public MemoryBudget memory() {
            return memory;
        }

        @Override
        public RandomNumbers random() {
            return random;
        }

        @Override
        public WireTap tap() {
            return tap;
        }

        @Override
        public void ended(IwarpConnection connection) {
            throw new AssertionError("no connection is opened");
        }

        @Override
        public void opened(IwarpConnection connection) {
            throw new AssertionError("no connection is opened");
        }
    }

    @Test
    void shouldListenOnAfterAPeerThatThereWasNoThreadFor() throws Exception {
        ServerSocketChannel server = ServerSocketChannel.open();
        server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        CompletableFuture<InetSocketAddress> asked = new CompletableFuture<>();
        IwarpListener listener = new IwarpListener(
                new ShortOfThreads(),
                server,
                IwarpSettings.DEFAULT.defaults(),
                request -> asked.complete(request.remoteAddress()),
                closed -> {});
        listener.start();
        try (RawPeer unlucky = RawPeer.to(listener.localAddress())) {
            unlucky.expectEnd();
            try (RawPeer next = RawPeer.to(listener.localAddress())) {
                next.send(RawPeer.HEX.parseHex("4d504120494420526571204672616d65" + "50020004" + "00100010"));
                assertThat(asked).succeedsWithin(10, TimeUnit.SECONDS);
            }
        } finally {
            listener.close();
        }
    }
}
