package io.verbena.nfs41.server.internal.ops;

import io.verbena.nfs41.Opaque;
import io.verbena.nfs41.server.internal.file.OpenFiles;
import io.verbena.nfs41.server.internal.file.WriteVerifier;
import io.verbena.nfs41.server.internal.security.ExportSecurity;
import io.verbena.nfs41.server.internal.security.OwnerNames;
import io.verbena.nfs41.server.internal.session.ClientTable;
import io.verbena.nfs41.server.internal.session.GracePeriod;
import io.verbena.nfs41.server.internal.state.Delegations;
import io.verbena.nfs41.server.internal.state.LockTable;
import io.verbena.nfs41.server.internal.state.StateTable;
import io.verbena.nfs41.server.internal.vfs.DirectoryListings;
import io.verbena.nfs41.server.internal.vfs.ExportTree;
import io.verbena.nfs41.server.internal.vfs.TreeChanges;
import io.verbena.runtime.Runtime;

/** Makes the operations of an export. */
public final class Operations {
    private final String name;
    private final ExportTree tree;
    private final TreeChanges changes;
    private final OpenFiles files;
    private final DirectoryListings listings;
    private final ExclusiveCreates exclusives;
    private final WriteVerifier verifier;
    private final long serverId;
    private final Runtime runtime;

    /**
     * @param name the name of the export
     * @param verifier the verifier of unstable writes
     * @param serverId a random number that no other server has; the same in each run
     */
    public Operations(
            String name,
            ExportTree tree,
            TreeChanges changes,
            OpenFiles files,
            DirectoryListings listings,
            ExclusiveCreates exclusives,
            WriteVerifier verifier,
            long serverId,
            Runtime runtime) {
        this.runtime = runtime;
        this.serverId = serverId;
        this.name = name;
        this.tree = tree;
        this.changes = changes;
        this.files = files;
        this.listings = listings;
        this.exclusives = exclusives;
        this.verifier = verifier;
    }

    /** The operations, by number. */
    public OperationTable table(
            ClientTable clients,
            StateTable states,
            Delegations delegations,
            GracePeriod gracePeriod,
            ExportSettings settings) {
        AttributeMapper mapper =
                new AttributeMapper(tree, (int) settings.lease().toSeconds(), owners(settings.security()), runtime);
        FileOperations fileOperations =
                new FileOperations(tree, changes, files, states, delegations, gracePeriod, verifier);
        OpenTargets targets = new OpenTargets(tree, changes, mapper, exclusives);
        OperationTable table = new OperationTable();
        new SessionOperations(clients, serverOwner()).addTo(table);
        new ConnectionOperations(clients).addTo(table);
        new DelegationOperations(delegations).addTo(table);
        new HandleOperations(tree, name, settings.security().flavors()).addTo(table);
        new AttributeOperations(tree, changes, mapper, fileOperations, delegations, settings.readOnly()).addTo(table);
        fileOperations.addTo(table);
        new DirectoryOperations(tree, changes, files, listings, mapper, delegations, gracePeriod).addTo(table);
        new OpenOperations(
                        tree,
                        changes,
                        targets,
                        states,
                        delegations,
                        gracePeriod,
                        fileOperations,
                        files,
                        settings.readOnly())
                .addTo(table);
        new LockOperations(tree, states, new LockTable(states), gracePeriod).addTo(table);
        return table;
    }

    private OwnerNames owners(ExportSecurity security) {
        return new OwnerNames(security.domain(), security.users(), runtime);
    }

    /** The server owner. It is the same in each run, so that clients recognize the server after a restart. */
    private Opaque serverOwner() {
        return Opaque.of("verbena/" + name + '/' + Long.toHexString(serverId));
    }
}
