package io.verbena.nfs41.server.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import org.junit.jupiter.api.Test;

class ServerMemoryComponentTest {
    private static ServerConfiguration of(int mebibytes) {
        return (ServerConfiguration) Proxy.newProxyInstance(
                ServerConfiguration.class.getClassLoader(),
                new Class<?>[] {ServerConfiguration.class},
                (proxy, method, arguments) -> {
                    if (mebibytes == Integer.MIN_VALUE) {
                        throw new IllegalStateException("no number");
                    }
                    return mebibytes;
                });
    }

    @Test
    void shouldTakeAQuarterOfTheHeapUnlessItIsToldOtherwise() {
        long byDefault = Runtime.getRuntime().maxMemory() / 4;
        ServerMemoryComponent component = new ServerMemoryComponent(of(0));
        assertThat(component.memory().states().limit()).isEqualTo(byDefault);
        component.configure(of(100));
        assertThat(component.memory().states().limit()).isEqualTo(100L << 20);
        component.configure(of(-1));
        assertThat(component.memory().states().limit()).isEqualTo(byDefault);
        component.configure(of(3000));
        assertThat(component.memory().states().limit()).isEqualTo(3000L << 20);
        component.configure(of(Integer.MIN_VALUE));
        assertThat(component.memory().states().limit()).isEqualTo(byDefault);
    }
}
