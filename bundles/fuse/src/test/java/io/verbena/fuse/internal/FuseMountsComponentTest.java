package io.verbena.fuse.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.fuse.FuseMount;
import io.verbena.runtime.SystemRuntime;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class FuseMountsComponentTest {
    private final CyclicBarrier together = new CyclicBarrier(2);
    private final Queue<String> calls = new ConcurrentLinkedQueue<>();

    /** A mount whose end waits for that of the other one; without force the mount is in use. */
    private FuseMount mount(String name) {
        return (FuseMount) Proxy.newProxyInstance(
                FuseMount.class.getClassLoader(), new Class<?>[] {FuseMount.class}, (self, method, args) -> {
                    assertThat(method.getName()).isEqualTo("unmount");
                    int unused = together.await(10, TimeUnit.SECONDS);
                    calls.add(name + " " + args[0]);
                    if (args[0].equals(false)) {
                        throw new IOException(name + " is in use");
                    }
                    return null;
                });
    }

    /** Each may wait for its server as long as it may. */
    @Test
    void shouldEndAllMountsSideBySideInTheEndByForce() {
        FuseMountsComponent.endAll(new SystemRuntime(), List.of(mount("a"), mount("b")));
        assertThat(calls).containsExactlyInAnyOrder("a false", "b false", "a true", "b true");
    }
}
