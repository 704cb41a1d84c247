package io.verbena.nfs41.client.internal;

import io.verbena.nfs41.FsLocations;
import io.verbena.nfs41.Opcode;
import io.verbena.rpc.RpcException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes a session, gets back in it what was held before, and finds the root. Belongs to the attempt under way; blocks. */
final class Recovery {
    private static final Logger LOG = LoggerFactory.getLogger(Recovery.class);
    /** The most locations that are tried: each may take as long as a connection does. */
    private static final int MOST_TARGETS = 8;

    private final Requester requester;
    private final SessionMaker maker;
    private final Root root;
    private final OpenStates opens;
    private boolean followed;

    Recovery(Requester requester, SessionMaker maker, Root root, OpenStates opens) {
        this.requester = requester;
        this.maker = maker;
        this.root = root;
        this.opens = opens;
    }

    Session make() throws IOException {
        try {
            return makeHere();
        } catch (MovedException e) {
            if (root.handle() != null || followed) {
                throw e; // files of the mount may be open, by handles that no other server knows
            }
            return follow(e);
        }
    }

    /** The export was moved before it was mounted: the first of its locations that can be reached is mounted instead. */
    private Session follow(MovedException moved) throws IOException {
        String server = requester.link().server();
        List<String> export = root.export();
        followed = true;
        IOException last = null;
        for (Target target : targets(moved.locations(), server, export)) {
            maker.forget();
            requester.link().redirect(target.server);
            root.redirect(target.export);
            try {
                Session session = makeHere();
                LOG.info(
                        "mount {}: {} has moved, {} is mounted instead",
                        requester.settings().name(),
                        MovedException.shown(server, export),
                        MovedException.shown(target.server, target.export));
                return session;
            } catch (IOException e) {
                LOG.debug("mount {}: {}", requester.settings().name(), target, e);
                last = e;
            }
        }
        followed = false; // the next attempt may find one of them
        maker.forget();
        requester.link().redirect(server);
        root.redirect(export);
        throw last == null
                ? moved
                : new MovedException(
                        moved.opcode(),
                        moved.locations(),
                        "none of these could be mounted: "
                                + Errors.ofMount(requester.settings(), last).getMessage());
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
        Session session = maker.make();
        try {
            opens.reclaim(requester, session, maker.client().clientId(), maker.isRegistered());
            root.find(requester, session);
            maker.reclaimed();
            return session;
        } catch (IOException | RuntimeException e) {
            session.kill();
            boolean unknown = e instanceof StatusException status && status.opcode() == Opcode.SEQUENCE;
            if (!unknown && !(e instanceof RpcException)) {
                maker.discard(session);
            }
            throw e;
        }
    }

    /** Whether the server has restarted while the session was being made: then a first attempt is made again too. */
    static boolean isForgotten(Exception e) {
        return e instanceof StatusException answer
                && switch (answer.status()) {
                    case NFS4ERR_BADSESSION, NFS4ERR_DEADSESSION, NFS4ERR_STALE_CLIENTID -> true;
                    default -> false;
                };
    }
}
