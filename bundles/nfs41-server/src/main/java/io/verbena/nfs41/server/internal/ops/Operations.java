package io.verbena.nfs41.server.internal.ops;

import io.verbena.nfs41.Opaque;
import io.verbena.nfs41.server.internal.state.ClientTable;
import io.verbena.nfs41.server.internal.state.Delegations;
import io.verbena.nfs41.server.internal.state.LockTable;
import io.verbena.nfs41.server.internal.state.Recovery;
import io.verbena.nfs41.server.internal.state.StateTable;
import io.verbena.nfs41.server.internal.vfs.Durability;
import io.verbena.nfs41.server.internal.vfs.ExportTree;
import io.verbena.nfs41.server.internal.vfs.Listings;
import io.verbena.nfs41.server.internal.vfs.OpenFiles;
import io.verbena.nfs41.server.internal.vfs.TreeChanges;
import io.verbena.nfs41.server.internal.vfs.WriteVerifier;

/** Puts the operations of an export together. */
public final class Operations {
    private final String name;
    private final ExportTree tree;
    private final TreeChanges changes;
    private final OpenFiles files;
    private final Listings listings;
    private final ExclusiveCreates exclusives;
    private final WriteVerifier verifier;
    private final Durability durability;
    private final long serverId;

    /**
     * @param name the export's
     * @param verifier of writes
     * @param durability of all other changes
     * @param serverId random, the same from run to run: no other server has it
     */
    public Operations(
            String name,
            ExportTree tree,
            TreeChanges changes,
            OpenFiles files,
            Listings listings,
            ExclusiveCreates exclusives,
            WriteVerifier verifier,
            Durability durability,
            long serverId) {
        this.serverId = serverId;
        this.name = name;
        this.tree = tree;
        this.changes = changes;
        this.files = files;
        this.listings = listings;
        this.exclusives = exclusives;
        this.verifier = verifier;
        this.durability = durability;
    }

    /** The operations, by number. */
    public OperationTable table(
            ClientTable clients,
            StateTable states,
            Delegations delegations,
            Recovery recovery,
            ServerSettings settings) {
        AttributeMapper mapper =
                new AttributeMapper(tree, (int) settings.lease().toSeconds());
        FileOperations fileOperations =
                new FileOperations(tree, changes, files, states, delegations, recovery, verifier);
        OpenTargets targets = new OpenTargets(tree, changes, mapper, exclusives);
        OperationTable table = new OperationTable();
        new SessionOperations(clients, serverOwner()).addTo(table);
        new ConnectionOperations(clients).addTo(table);
        new DelegationOperations(delegations).addTo(table);
        new HandleOperations(tree, name).addTo(table);
        new AttributeOperations(tree, changes, mapper, fileOperations, delegations, durability, settings.readOnly())
                .addTo(table);
        fileOperations.addTo(table);
        new DirectoryOperations(tree, changes, files, listings, mapper, delegations, recovery, durability).addTo(table);
        new OpenOperations(
                        tree,
                        changes,
                        targets,
                        states,
                        delegations,
                        recovery,
                        fileOperations,
                        files,
                        durability,
                        settings.readOnly())
                .addTo(table);
        new LockOperations(tree, states, new LockTable(states), recovery).addTo(table);
        return table;
    }

    /** The same over restarts, so that clients know whom they come back to. */
    private Opaque serverOwner() {
        return Opaque.of("verbena/" + name + '/' + Long.toHexString(serverId));
    }
}
