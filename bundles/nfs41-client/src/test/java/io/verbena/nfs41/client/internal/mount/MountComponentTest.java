package io.verbena.nfs41.client.internal.mount;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.memory.internal.DirectMemory;
import io.verbena.nfs.Mount;
import io.verbena.nfs.MountEvents;
import io.verbena.nfs.MountReplacedException;
import io.verbena.nfs.MountState;
import io.verbena.nfs41.Opaque;
import io.verbena.nfs41.client.internal.figures.MountSwapListener;
import io.verbena.nfs41.client.internal.figures.SwapRecorder;
import io.verbena.nfs41.client.internal.testing.ClosingTogether;
import io.verbena.nfs41.client.internal.testing.FakeServer;
import io.verbena.rpc.RpcTransport;
import io.verbena.runtime.Runtime;
import io.verbena.runtime.SystemRuntime;
import java.io.File;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.osgi.framework.BundleContext;
import org.osgi.service.component.ComponentConstants;
import org.osgi.service.event.Event;
import org.osgi.service.event.EventAdmin;

/** A mount as Declarative Services makes, replaces and ends it. */
@Timeout(60)
class MountComponentTest {
    private static final Runtime RUNTIME = new SystemRuntime();

    @TempDir
    Path storage;

    private final FakeServer server = new FakeServer();
    private final BlockingQueue<Event> events = new LinkedBlockingQueue<>();
    private final MountSwapListener listener = new SwapEvents(new EventAdmin() {
        @Override
        public void postEvent(Event event) {
            events.add(event);
        }

        @Override
        public void sendEvent(Event event) {
            throw new AssertionError("who listens must not hold up the mount");
        }
    });

    @AfterEach
    void close() {
        server.close();
    }

    private MountComponent component() throws IOException {
        return component("a/b", server);
    }

    private MountComponent component(String name, RpcTransport transport) throws IOException {
        MountConfiguration configuration = proxy(MountConfiguration.class, (method, arguments) -> switch (method) {
            case "verbena_mount_name" -> name;
            case "server" -> "127.0.0.1";
            case "export" -> "/";
            default -> "";
        });
        BundleContext context =
                proxy(BundleContext.class, (method, arguments) -> new File(storage.toFile(), (String) arguments[0]));
        MountComponent component = new MountComponent(configuration, context, new DirectMemory(), RUNTIME);
        component.setSwapListener(listener);
        component.setTransport(transport);
        component.connect(Duration.ofSeconds(20));
        return component;
    }

    private interface Answer {
        Object to(String method, Object[] arguments);
    }

    private static <T> T proxy(Class<T> type, Answer answer) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                (proxy, method, arguments) -> answer.to(method.getName(), arguments)));
    }

    private Event next() throws InterruptedException {
        Event event = events.poll(20, TimeUnit.SECONDS);
        assertThat(event).isNotNull();
        assertThat(event.getTopic()).isEqualTo(MountEvents.SWAPPED);
        assertThat(event.getProperty(Mount.NAME)).isEqualTo("a/b");
        return event;
    }

    @ParameterizedTest
    @ValueSource(
            ints = {
                ComponentConstants.DEACTIVATION_REASON_BUNDLE_STOPPED,
                ComponentConstants.DEACTIVATION_REASON_CONFIGURATION_MODIFIED,
                ComponentConstants.DEACTIVATION_REASON_REFERENCE
            })
    void shouldTellThatItTookTheOthersPlace(int reason) throws Exception {
        MountComponent first = component();
        first.deactivate(reason);
        assertThatThrownBy(() -> first.attributes("/file", true)).isInstanceOf(MountReplacedException.class);
        assertThat(events).isEmpty();
        MountComponent second = component();
        assertThat(second.owner()).as("the server knows it by").isEqualTo(first.owner());
        Event event = next();
        assertThat(event.getProperty(MountEvents.WHAT)).isEqualTo("mount");
        assertThat(event.getProperty(MountEvents.MESSAGE))
                .asString()
                .startsWith("mount a/b: took the place of the one before");
        assertThat((Long) event.getProperty(MountEvents.PAUSE_MILLIS)).isNotNegative();
        assertThat(second.settings()).containsEntry("swaps", "1").hasEntrySatisfying("lastSwap", last -> assertThat(
                        last)
                .startsWith("took the place of the one before"));
        second.deactivate(reason);
        MountComponent third = component();
        next();
        assertThat(third.settings()).containsEntry("swaps", "2").containsEntry("transportSwaps", "0");
        third.deactivate(ComponentConstants.DEACTIVATION_REASON_CONFIGURATION_DELETED);
    }

    @ParameterizedTest
    @ValueSource(
            ints = {
                ComponentConstants.DEACTIVATION_REASON_CONFIGURATION_DELETED,
                ComponentConstants.DEACTIVATION_REASON_DISPOSED
            })
    void shouldSayThatItHasBeenUnmountedAndLeaveNoNote(int reason) throws Exception {
        MountComponent first = component();
        first.deactivate(reason);
        assertThatThrownBy(() -> first.attributes("/file", true)).hasMessage("mount 'a/b' has been unmounted");
        assertThat(storage).isEmptyDirectory();
    }

    /** Declarative Services ends one after the other, and each may wait for its server. */
    @Test
    void shouldEndAllMountsSideBySideWhereTheBundleStops() throws Exception {
        ClosingTogether closing = new ClosingTogether(server, 2);
        MountComponent first = component("first", closing.transport);
        MountComponent second = component("second", closing.transport);
        first.deactivate(ComponentConstants.DEACTIVATION_REASON_BUNDLE_STOPPED);
        assertThat(closing.alone).isEmpty();
        assertThat(List.of(first.state(), second.state())).containsOnly(MountState.UNMOUNTED);
        assertThat(storage).isDirectoryContaining("glob:**/replaced-first");
        Path note = storage.resolve(MountHandover.fileName("second"));
        String left = Files.readString(note);
        second.deactivate(ComponentConstants.DEACTIVATION_REASON_BUNDLE_STOPPED);
        assertThat(note).hasContent(left);
        MountComponent next = component("second", server);
        assertThat(next.owner()).isEqualTo(second.owner());
        next.deactivate(ComponentConstants.DEACTIVATION_REASON_CONFIGURATION_DELETED);
    }

    @Test
    void shouldEndAloneWhereItsConfigurationIsDeleted() throws Exception {
        MountComponent first = component("first", server);
        MountComponent second = component("second", server);
        first.deactivate(ComponentConstants.DEACTIVATION_REASON_CONFIGURATION_DELETED);
        assertThat(second.state()).isEqualTo(MountState.MOUNTED);
        second.deactivate(ComponentConstants.DEACTIVATION_REASON_CONFIGURATION_DELETED);
    }

    @Test
    void shouldSendAnEventWhenTheTransportIsReplaced() throws Exception {
        MountComponent component = component();
        component.unsetTransport(server);
        component.setTransport(server);
        Event event = next();
        assertThat(event.getProperty(MountEvents.WHAT)).isEqualTo("transport");
        assertThat(event.getProperty(MountEvents.MESSAGE))
                .asString()
                .startsWith("mount a/b: the transport was replaced: drained in ");
        assertThat((Long) event.getProperty(MountEvents.PAUSE_MILLIS)).isNotNegative();
        component.unsetSwapListener(listener);
        component.unsetTransport(server);
        component.setTransport(server);
        component.attributes("/file", true);
        assertThat(events).isEmpty();
        assertThat(component.settings()).containsEntry("transportSwaps", "2").containsEntry("swaps", "2");
        component.deactivate(ComponentConstants.DEACTIVATION_REASON_BUNDLE_STOPPED);
        component.unsetTransport(server); // Declarative Services does so last
    }

    @Test
    void shouldNotTakeANoteOfAnotherMountOrProcess() throws Exception {
        File file = storage.resolve(MountHandover.fileName("..")).toFile();
        MountHandover.Predecessor gone = new MountHandover.Predecessor(
                Opaque.of("owner"), 5, new SwapRecorder.Past(3, 4, "last"), Map.of("learned", "a=b"));
        new MountHandover(file, "there:/").leave(gone);
        assertThat(new MountHandover(file, "there:/ port=1").take()).isEmpty();
        new MountHandover(file, "there:/").leave(gone);
        assertThat(new MountHandover(file, "there:/").take()).hasValueSatisfying(before -> {
            assertThat(before.owner()).isEqualTo(Opaque.of("owner"));
            assertThat(before.past()).isEqualTo(new SwapRecorder.Past(3, 4, null));
            assertThat(before.known()).containsExactly(Map.entry("learned", "a=b"));
        });
        assertThat(new MountHandover(file, "there:/").take()).isEmpty();
        assertThat(new MountHandover(null, "there:/").take()).isEmpty();
    }
}
