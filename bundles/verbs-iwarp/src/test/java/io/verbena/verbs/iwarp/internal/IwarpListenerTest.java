package io.verbena.verbs.iwarp.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.verbs.WireTap;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** A listener where the system fails it. */
class IwarpListenerTest {
    /** Has no thread for the first peer. */
    private static final class ShortOfThreads implements ConnectionFactory {
        private final AtomicBoolean failed = new AtomicBoolean();
        private final StagingBuffers buffers = new StagingBuffers();
        private final RandomNumbers random = new RandomNumbers();
        private final WireTap tap = new WireTap((observer, failure) -> {});

        @Override
        public Thread newThread(String name, Runnable work) {
            if (name.startsWith("iwarp-handshake-") && failed.compareAndSet(false, true)) {
                throw new OutOfMemoryError("unable to create native thread");
            }
            return ConnectionFactory.super.newThread(name, work);
        }

        @Override
        public ProviderSettings settings() {
            return ProviderSettings.DEFAULT;
        }

        @Override
        public StagingBuffers buffers() {
            return buffers;
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
                ProviderSettings.DEFAULT.defaults(),
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
