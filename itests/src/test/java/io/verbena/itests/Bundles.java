package io.verbena.itests;

import java.util.Set;

/** What Verbena consists of. */
final class Bundles {
    /** The symbolic name of every bundle of ours; one that is new, or missing, is no accident then. */
    static final Set<String> ALL = Set.of(
            "io.verbena.xdr",
            "io.verbena.rpc",
            "io.verbena.jnr",
            "io.verbena.verbs",
            "io.verbena.verbs.iwarp",
            "io.verbena.verbs.native",
            "io.verbena.verbs.selftest",
            "io.verbena.verbs.trace",
            "io.verbena.rpcrdma",
            "io.verbena.rpcrdma.dispatcher",
            "io.verbena.rpcrdma.v1",
            "io.verbena.rpcrdma.v2",
            "io.verbena.rpcrdma.cm",
            "io.verbena.nfs",
            "io.verbena.nfs41",
            "io.verbena.nfs41.client",
            "io.verbena.management",
            "io.verbena.metrics",
            "io.verbena.text",
            "io.verbena.dirfd",
            "io.verbena.nfs41.server",
            "io.verbena.cli",
            "io.verbena.cli.rdma");

    private Bundles() {}
}
