package io.verbena.verbs.natives.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.verbs.Access;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What regions are registered as, over a library that only notes it. */
final class RegionsTest {
    private static final int LARGEST_PAGE = 1 << 16;

    private final List<Long> registered = new ArrayList<>();

    private Ibverbs verbs() {
        return (Ibverbs) Proxy.newProxyInstance(
                Ibverbs.class.getClassLoader(),
                new Class<?>[] {Ibverbs.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "regMr" -> {
                        registered.add((Long) arguments[1]);
                        registered.add((Long) arguments[3]);
                        yield 1L;
                    }
                    case "lkey", "rkey" -> registered.size();
                    default -> throw new AssertionError(method);
                });
    }

    /** Drivers refuse an address with another offset in the page, and pages have up to 64 KiB. */
    @Test
    void shouldKeepTheOffsetInThePageOfAnAddressForPeers() throws Exception {
        DeviceAttributes attributes = new DeviceAttributes(false, "1", 1L << 40, 0, 1, 1, 1, 1, 0, 1, 1, 1, 0);
        Device device = new Device(1, "hca0", attributes, Registration.REGION, "");
        SendQueue sends = new SendQueue(verbs(), 1, 4, 1, 0, new SendRequests(1, 0), null, e -> {});
        sends.open(1);
        Regions regions = new Regions(verbs(), device, 1, sends, new RandomNumbers(), e -> {});
        ByteBuffer memory = ByteBuffer.allocateDirect(LARGEST_PAGE);

        for (int offset = 0; offset < LARGEST_PAGE; offset += 4096) {
            registered.clear();
            regions.add(List.of(memory.position(offset)), Access.REMOTE_READ);

            assertThat(registered.get(1)).isNotEqualTo(registered.get(0));
            assertThat(registered.get(1) % LARGEST_PAGE).isEqualTo(registered.get(0) % LARGEST_PAGE);
        }
    }
}
