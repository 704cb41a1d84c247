package io.verbena.itests;

import java.util.Set;
import java.util.stream.Collectors;

/** The bundles of Verbena. */
final class Bundles {
    /** The symbolic names of all bundles. The list is explicit, so that a new or missing bundle fails a test. */
    static final Set<String> ALL = Set.of(
            "io.verbena.xdr",
            "io.verbena.rpc",
            "io.verbena.jnr",
            "io.verbena.karaf.subject",
            "io.verbena.verbs",
            "io.verbena.verbs.iwarp",
            "io.verbena.verbs.native",
            "io.verbena.verbs.selftest",
            "io.verbena.verbs.trace",
            "io.verbena.rpcsec.gss",
            "io.verbena.rpcrdma",
            "io.verbena.rpcrdma.dispatcher",
            "io.verbena.rpcrdma.v1",
            "io.verbena.rpcrdma.v2",
            "io.verbena.rpcrdma.cm",
            "io.verbena.nfs",
            "io.verbena.nfs.transfer",
            "io.verbena.fuse",
            "io.verbena.nfs41",
            "io.verbena.nfs41.client",
            "io.verbena.management",
            "io.verbena.openmetrics",
            "io.verbena.webconsole",
            "io.verbena.memory",
            "io.verbena.runtime",
            "io.verbena.metrics",
            "io.verbena.text",
            "io.verbena.dirfd",
            "io.verbena.nfs41.server",
            "io.verbena.cli",
            "io.verbena.cli.rdma");

    /** Those that every start has; the rest is installed by features of their own. */
    static final Set<String> STARTED = ALL.stream()
            .filter(name ->
                    !Set.of("io.verbena.openmetrics", "io.verbena.webconsole").contains(name))
            .collect(Collectors.toUnmodifiableSet());

    private Bundles() {}
}
