package io.verbena.verbs.natives.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class NativeStarterTest {
    private static final long CHANNEL = 4711;

    private final List<String> calls = new ArrayList<>();

    /** A connection manager of which only channels are used. */
    private Rdmacm manager(NativeException failure) {
        return (Rdmacm) Proxy.newProxyInstance(
                Rdmacm.class.getClassLoader(), new Class<?>[] {Rdmacm.class}, (proxy, method, arguments) -> {
                    calls.add(method.getName());
                    if (failure != null) {
                        throw failure;
                    }
                    return method.getName().equals("createEventChannel") ? CHANNEL : null;
                });
    }

    @Test
    void shouldSayInOneLineThatThereIsNoDevice() {
        NativeException failure = new NativeException("rdma_create_event_channel", 19, "No such device");

        assertThatExceptionOfType(NativeUnavailableException.class)
                .isThrownBy(() -> NativeStarter.requireDevices(manager(failure)))
                .withMessageContaining("no RDMA device that can be used")
                .withMessageContaining("rdma_create_event_channel failed: No such device (errno 19)")
                .satisfies(e -> assertThat(e.getMessage().lines()).hasSize(1));
    }

    @Test
    void shouldLeaveNoChannelBehind() throws Exception {
        NativeStarter.requireDevices(manager(null));

        assertThat(calls).containsExactly("createEventChannel", "destroyEventChannel");
    }
}
