package io.verbena.rpcrdma.dispatcher.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.memory.internal.DirectMemory;
import io.verbena.rpc.ConnectionObserver;
import io.verbena.rpc.RpcConnection;
import io.verbena.rpc.RpcListener;
import io.verbena.rpcrdma.ConnectionEvents;
import io.verbena.rpcrdma.Framing;
import io.verbena.rpcrdma.cm.internal.PrivateDataNegotiator;
import io.verbena.rpcrdma.dispatcher.internal.base.DispatcherConfiguration;
import io.verbena.rpcrdma.dispatcher.internal.base.TransportLimits;
import io.verbena.rpcrdma.dispatcher.internal.services.ConnectionSwapListener;
import io.verbena.rpcrdma.dispatcher.internal.services.SwapSettings;
import io.verbena.rpcrdma.v1.internal.VersionOneFraming;
import io.verbena.rpcrdma.v2.internal.VersionTwoFraming;
import io.verbena.runtime.SystemRuntime;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.osgi.service.event.Event;
import org.osgi.service.event.EventAdmin;

/** What is told of swaps, and what is set about them. */
final class SwapRecordsTest {
    /** Keeps what is sent. */
    private static final class Events implements EventAdmin {
        private final BlockingQueue<Event> posted = new LinkedBlockingQueue<>();

        @Override
        public void postEvent(Event event) {
            posted.add(event);
        }

        @Override
        public void sendEvent(Event event) {
            throw new AssertionError("nobody is to be waited for");
        }

        Event next() throws InterruptedException {
            Event event = posted.poll(10, TimeUnit.SECONDS);
            assertThat(event).isNotNull();
            return event;
        }
    }

    @Test
    @DisplayName("both ends send an event, and a listener that fails does no harm")
    void shouldSendEvents() throws Exception {
        MemoryFabric fabric = new MemoryFabric();
        Framing two = new VersionTwoFraming();
        Events events = new Events();
        ConnectionSwapListener sender = new ConnectionEventSender(events);
        RdmaRpcTransport both = new RdmaRpcTransport(
                new SystemRuntime(),
                TransportLimits.DEFAULT,
                new DirectMemory(),
                fabric,
                List.of(two, new VersionOneFraming()),
                new PrivateDataNegotiator());
        both.bindSwapListener(swap -> {
            throw new IllegalStateException("by the test");
        });
        both.bindSwapListener(sender);
        try (both;
                RdmaRpcTransport client = TransportPair.transportOfBoth(TransportLimits.DEFAULT, fabric)) {
            RpcListener listener = both.listen(TransportPair.listenOptions(4, Map.of()), new EchoProgram());
            RpcListener other = client.listen(TransportPair.listenOptions(4, Map.of()), new EchoProgram());
            RpcConnection connection =
                    both.connect(TransportPair.options(other.localAddress(), 4, ConnectionObserver.NONE, Map.of()));
            RpcConnection far = client.connect(
                    TransportPair.options(listener.localAddress(), 4, ConnectionObserver.NONE, Map.of()));
            TransportPair.callNull(connection);
            TransportPair.callNull(far);
            both.unbindFraming(two);
            Event first = events.next();
            Event second = events.next();
            boolean clientFirst = first.getProperty(ConnectionEvents.ROLE).equals("client");
            Event mine = clientFirst ? first : second;
            Event theirs = clientFirst ? second : first;

            assertThat(mine.getTopic()).isEqualTo(ConnectionEvents.SWAPPED);
            assertThat(mine.getProperty(ConnectionEvents.ROLE)).isEqualTo("client");
            assertThat(mine.getProperty(ConnectionEvents.ID)).isInstanceOf(Long.class);
            assertThat(mine.getProperty(ConnectionEvents.REASON)).isEqualTo("framing of Version 2 went");
            assertThat(mine.getProperty(ConnectionEvents.DRAIN_MILLIS)).isInstanceOf(Long.class);
            assertThat(mine.getProperty(ConnectionEvents.PAUSE_MILLIS)).isInstanceOf(Long.class);
            assertThat(mine.getProperty(ConnectionEvents.REPLAYED)).isEqualTo(0);
            assertThat(mine.getProperty(ConnectionEvents.OLD_VERSION)).isEqualTo(2);
            assertThat(mine.getProperty(ConnectionEvents.VERSION)).isEqualTo(1);
            assertThat(mine.getProperty(ConnectionEvents.MESSAGE).toString())
                    .startsWith("replaced the connection to " + mine.getProperty(ConnectionEvents.REMOTE) + ": ");

            assertThat(theirs.getProperty(ConnectionEvents.ROLE)).isEqualTo("server");
            assertThat(theirs.getProperty(ConnectionEvents.OLD_VERSION)).isEqualTo(2);
            assertThat(theirs.containsProperty(ConnectionEvents.PAUSE_MILLIS)).isFalse();
            assertThat(theirs.containsProperty(ConnectionEvents.VERSION)).isFalse();
            assertThat(theirs.getProperty(ConnectionEvents.MESSAGE).toString()).startsWith("let go of the connection");

            both.unbindSwapListener(sender);
            connection.reconnect(Duration.ofSeconds(10));
            assertThat(connection.settings()).containsEntry("swaps", "2");
            assertThat(events.posted).isEmpty();
        }
        fabric.awaitAllEnded();
    }

    @ParameterizedTest
    @CsvSource({
        "reconnect, 100, 100, false",
        "now, 0, 0, true",
        "later, 100, 100, false",
        "now, -1, 5000, true",
        "reconnect, 600001, 5000, false"
    })
    void shouldTakeWhatMakesSense(String versionReturn, int drain, int drainTaken, boolean now) {
        assertThat(SwapSettings.of(versionReturn, () -> drain))
                .isEqualTo(new SwapSettings(Duration.ofMillis(drainTaken), now));
    }

    /** As Declarative Services hand it over: text for a number is an exception where the number is asked for. */
    private static DispatcherConfiguration configuration(AtomicReference<Object> drainTimeout) {
        return (DispatcherConfiguration) Proxy.newProxyInstance(
                DispatcherConfiguration.class.getClassLoader(),
                new Class<?>[] {DispatcherConfiguration.class},
                (proxy, method, arguments) -> {
                    if (method.getName().equals("versionReturn")) {
                        return DispatcherConfiguration.NOW;
                    }
                    if (drainTimeout.get() instanceof Integer millis) {
                        return millis;
                    }
                    throw new IllegalStateException("cannot convert " + drainTimeout.get() + " to int");
                });
    }

    @Test
    void shouldTakeTextForANumberAsIfNothingWereSetAndGoOn() {
        AtomicReference<Object> drainTimeout = new AtomicReference<>("abc");
        DispatcherConfiguration configuration = configuration(drainTimeout);
        assertThat(SwapSettings.of(configuration))
                .isEqualTo(new SwapSettings(SwapSettings.DEFAULT.drainTimeout(), true));
        try (RdmaRpcTransport transport =
                new RdmaRpcTransport(configuration, new SystemRuntime(), new DirectMemory())) {
            drainTimeout.set(100);
            transport.modified(configuration);
            drainTimeout.set("");
            transport.modified(configuration);
        }
        assertThat(SwapSettings.of(configuration))
                .isEqualTo(new SwapSettings(SwapSettings.DEFAULT.drainTimeout(), true));
    }
}
