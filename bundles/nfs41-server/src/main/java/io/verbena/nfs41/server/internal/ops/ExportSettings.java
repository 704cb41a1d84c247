package io.verbena.nfs41.server.internal.ops;

import io.verbena.nfs41.server.internal.access.AccessRules;
import io.verbena.nfs41.server.internal.security.ExportSecurity;
import java.nio.file.Path;
import java.time.Duration;

/**
 * The settings of a server.
 *
 * @param name the name of the export
 * @param slots how many requests of a session may be under way at once
 * @param lease how long a client that sends nothing is remembered
 * @param delegations whether files are delegated to clients
 * @param grace how long after a restart clients may reclaim before others get new opens and locks
 * @param sync whether changes of names and attributes are on stable storage before they are answered
 * @param setId whether all users may give their files set-id bits, and not root alone
 * @param access who may use the export
 * @param security what the export asks of its callers
 */
public record ExportSettings(
        String name,
        Path directory,
        boolean readOnly,
        Squash squash,
        int slots,
        boolean delegations,
        Duration lease,
        Duration grace,
        boolean sync,
        boolean setId,
        AccessRules access,
        ExportSecurity security) {
    /** As the canonical constructor, by AUTH_SYS alone. */
    public ExportSettings(
            String name,
            Path directory,
            boolean readOnly,
            Squash squash,
            int slots,
            boolean delegations,
            Duration lease,
            Duration grace,
            boolean sync,
            boolean setId,
            AccessRules access) {
        this(
                name,
                directory,
                readOnly,
                squash,
                slots,
                delegations,
                lease,
                grace,
                sync,
                setId,
                access,
                ExportSecurity.SYS);
    }

    /** As the canonical constructor: sync, without set-id bits, for everybody. */
    public ExportSettings(
            String name,
            Path directory,
            boolean readOnly,
            Squash squash,
            int slots,
            boolean delegations,
            Duration lease,
            Duration grace) {
        this(name, directory, readOnly, squash, slots, delegations, lease, grace, true, false, AccessRules.ALL);
    }

    /**
     * Writable, root squashed, sync, without set-id bits, for everybody, 64 slots, with delegations, a lease and a
     * grace period of 90 seconds.
     */
    public static ExportSettings of(String name, Path directory) {
        return new ExportSettings(
                name,
                directory,
                false,
                new Squash(Squash.Mode.ROOT, Squash.NOBODY, Squash.NOBODY),
                64,
                true,
                Duration.ofSeconds(90),
                Duration.ofSeconds(90));
    }

    public ExportSettings withSquash(Squash other) {
        return new ExportSettings(
                name, directory, readOnly, other, slots, delegations, lease, grace, sync, setId, access, security);
    }

    public ExportSettings withReadOnly(boolean other) {
        return new ExportSettings(
                name, directory, other, squash, slots, delegations, lease, grace, sync, setId, access, security);
    }

    public ExportSettings withDelegations(boolean other) {
        return new ExportSettings(
                name, directory, readOnly, squash, slots, other, lease, grace, sync, setId, access, security);
    }

    public ExportSettings withSync(boolean other) {
        return new ExportSettings(
                name, directory, readOnly, squash, slots, delegations, lease, grace, other, setId, access, security);
    }

    public ExportSettings withSetId(boolean other) {
        return new ExportSettings(
                name, directory, readOnly, squash, slots, delegations, lease, grace, sync, other, access, security);
    }

    public ExportSettings withAccess(AccessRules other) {
        return new ExportSettings(
                name, directory, readOnly, squash, slots, delegations, lease, grace, sync, setId, other, security);
    }

    public ExportSettings withSecurity(ExportSecurity other) {
        return new ExportSettings(
                name, directory, readOnly, squash, slots, delegations, lease, grace, sync, setId, access, other);
    }
}
