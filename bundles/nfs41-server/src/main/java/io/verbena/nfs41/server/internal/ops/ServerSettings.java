package io.verbena.nfs41.server.internal.ops;

import java.nio.file.Path;
import java.time.Duration;

/**
 * What is served and how.
 *
 * @param name the export's
 * @param slots requests of a session at once
 * @param lease how long a client is remembered that does not speak
 * @param delegations whether files are delegated to clients
 * @param grace how long after a restart clients may reclaim before others get new opens and locks
 * @param sync whether changes of names and attributes are on stable storage before they are answered
 */
public record ServerSettings(
        String name,
        Path directory,
        boolean readOnly,
        Squash squash,
        int slots,
        boolean delegations,
        Duration lease,
        Duration grace,
        boolean sync) {
    /** As the canonical one, with changes on stable storage before they are answered. */
    public ServerSettings(
            String name,
            Path directory,
            boolean readOnly,
            Squash squash,
            int slots,
            boolean delegations,
            Duration lease,
            Duration grace) {
        this(name, directory, readOnly, squash, slots, delegations, lease, grace, true);
    }

    /** Writable, root squashed, sync, 64 slots, with delegations, a lease and a grace period of 90 seconds. */
    public static ServerSettings of(String name, Path directory) {
        return new ServerSettings(
                name,
                directory,
                false,
                new Squash(Squash.Mode.ROOT, Squash.NOBODY, Squash.NOBODY),
                64,
                true,
                Duration.ofSeconds(90),
                Duration.ofSeconds(90));
    }

    public ServerSettings withSquash(Squash other) {
        return new ServerSettings(name, directory, readOnly, other, slots, delegations, lease, grace, sync);
    }

    public ServerSettings withReadOnly(boolean other) {
        return new ServerSettings(name, directory, other, squash, slots, delegations, lease, grace, sync);
    }

    public ServerSettings withDelegations(boolean other) {
        return new ServerSettings(name, directory, readOnly, squash, slots, other, lease, grace, sync);
    }

    public ServerSettings withSync(boolean other) {
        return new ServerSettings(name, directory, readOnly, squash, slots, delegations, lease, grace, other);
    }
}
