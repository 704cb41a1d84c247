package io.verbena.nfs41.client.internal;

import io.verbena.nfs41.Opaque;
import java.time.Instant;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;

/** The name that a client has with its server (RFC 8881 section 2.4). */
final class ClientOwner {
    private static final AtomicLong INSTANCES = new AtomicLong();

    private ClientOwner() {}

    /** What makes a client's name unique: this process, this moment, this mount. */
    static Opaque of(String mountName) {
        long pid = ProcessHandle.current().pid();
        long started = ProcessHandle.current()
                .info()
                .startInstant()
                .map(Instant::toEpochMilli)
                .orElse(0L);
        long unique = ThreadLocalRandom.current().nextLong();
        return Opaque.of("verbena/" + mountName + "/" + pid + "/" + started + "/" + INSTANCES.incrementAndGet() + "/"
                + Long.toHexString(unique));
    }
}
