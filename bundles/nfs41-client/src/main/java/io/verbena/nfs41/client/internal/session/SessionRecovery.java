package io.verbena.nfs41.client.internal.session;

import io.verbena.nfs41.FsLocations;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.client.internal.compound.Errors;
import io.verbena.nfs41.client.internal.compound.MovedException;
import io.verbena.nfs41.client.internal.compound.StatusException;
import io.verbena.nfs41.client.internal.util.SecurityKind;
import io.verbena.rpc.RpcException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes a session, reclaims in it the state that the client held before, and looks up the export's root. Used by one
 * attempt at a time, on a worker thread; blocks.
 */
final class SessionRecovery {
    private static final Logger LOG = LoggerFactory.getLogger(SessionRecovery.class);
    /** The most locations that are tried: each may take as long as a connection attempt. */
    private static final int MOST_TARGETS = 8;

    /** How often the server may ask for other security in one attempt: along the path it may change. */
    private static final int MOST_SECURITY_CHANGES = 3;

    private final CompoundCaller caller;
    private final SessionFactory factory;
    private final ExportRoot root;
    private final ClientState held;
    private final SecurityNegotiation negotiation;
    private boolean followed;

    SessionRecovery(CompoundCaller caller, SessionFactory factory, ExportRoot root, ClientState held) {
        this.caller = caller;
        this.factory = factory;
        this.root = root;
        this.held = held;
        this.negotiation =
                new SecurityNegotiation(caller.settings(), caller.link().security());
    }

    Session make() throws IOException {
        try {
            return makeHere();
        } catch (MovedException e) {
            if (root.handle() != null || followed) {
                throw e; // files of the mount may be open by file handles that another server does not know
            }
            return follow(e);
        }
    }

    /** The export has moved before it was mounted: mounts the first of its locations that can be reached. */
    private Session follow(MovedException moved) throws IOException {
        String server = caller.link().server();
        List<String> export = root.export();
        followed = true;
        IOException last = null;
        for (Target target : targets(moved.locations(), server, export)) {
            factory.forget();
            caller.link().redirect(target.server);
            root.redirect(target.export);
            try {
                Session session = makeHere();
                LOG.info(
                        "mount {}: {} has moved, {} is mounted instead",
                        caller.settings().name(),
                        MovedException.shown(server, export),
                        MovedException.shown(target.server, target.export));
                return session;
            } catch (IOException e) {
                LOG.debug("mount {}: {}", caller.settings().name(), target, e);
                last = e;
            }
        }
        followed = false; // the next attempt may reach a location
        factory.forget();
        caller.link().redirect(server);
        root.redirect(export);
        throw last == null
                ? moved
                : new MovedException(
                        moved.opcode(),
                        moved.locations(),
                        "none of these could be mounted: "
                                + Errors.ofMount(caller.settings(), last).getMessage());
    }

    private record Target(String server, List<String> export) {}

    private static List<Target> targets(FsLocations locations, String server, List<String> export) {
        List<String> root = locations.root();
        boolean isWithin =
                export.size() >= root.size() && export.subList(0, root.size()).equals(root);
        List<String> rest = isWithin ? export.subList(root.size(), export.size()) : List.of();
        List<Target> targets = new ArrayList<>();
        for (FsLocations.Location location : locations.locations()) {
            List<String> path = new ArrayList<>(location.rootPath());
            path.addAll(rest);
            location.servers().forEach(each -> targets.add(new Target(each.isEmpty() ? server : each, path)));
        }
        targets.removeIf(target -> target.equals(new Target(server, export)));
        return targets.subList(0, Math.min(MOST_TARGETS, targets.size()));
    }

    private Session makeHere() throws IOException {
        for (int i = 0; i < MOST_SECURITY_CHANGES; i++) {
            try {
                return makeByPresentSecurity();
            } catch (WrongSecurityException e) {
                SecurityKind chosen = negotiation.choose(e);
                factory.forget(); // another user could not take the client id over
                caller.link().security().use(chosen);
            }
        }
        return makeByPresentSecurity();
    }

    private Session makeByPresentSecurity() throws IOException {
        Session session = factory.make();
        try {
            held.reclaim(caller, session, factory.client().clientId(), factory.isRegistered());
            root.find(caller, session);
            factory.reclaimed();
            return session;
        } catch (Throwable e) {
            session.kill();
            boolean unknown = e instanceof StatusException status && status.opcode() == Opcode.SEQUENCE;
            if (!unknown && !(e instanceof RpcException)) {
                factory.discard(session);
            }
            throw e;
        }
    }

    /** Whether the server has restarted while the session was being made: then even the first attempt is repeated. */
    static boolean isForgotten(Throwable e) {
        return e instanceof StatusException answer
                && switch (answer.status()) {
                    case NFS4ERR_BADSESSION, NFS4ERR_DEADSESSION, NFS4ERR_STALE_CLIENTID -> true;
                    default -> false;
                };
    }
}
