package io.verbena.itests;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Commands that replace bundles under load. */
public final class SwapScript {
    private static final String IN_ANY_WAY = "io.verbena.verbs.iwarp,io.verbena.rpcrdma.cm,io.verbena.rpcrdma.v1,"
            + "io.verbena.rpcrdma.v2,io.verbena.rpcrdma.dispatcher,io.verbena.nfs41.client";
    private static final String REFRESHED = "io.verbena.rpcrdma,io.verbena.rpc,io.verbena.xdr";

    /** Brings the commands of the scope swap. */
    static final String INSTALL = "bundle:install -s file:" + System.getProperty("verbena.swap.probe");

    private SwapScript() {}

    /**
     * A run on a mount.
     *
     * @param folder a local one, in which it makes one of its own
     * @param mebibytes of the files copied, where the system property {@code verbena.swap.size} does not say otherwise
     * @param swaps as {@code verbena.swap.count}
     */
    public static String run(Path folder, String mount, int mebibytes, int swaps) throws IOException {
        Path own = Files.createDirectory(folder.resolve("swap"));
        return INSTALL + "\nswap:run mount=" + mount
                + " folder=" + own + " size=" + Integer.getInteger("verbena.swap.size", mebibytes) + " swaps="
                + Integer.getInteger("verbena.swap.count", swaps) + " seed=" + Long.getLong("verbena.swap.seed", 0)
                + " bundles=" + IN_ANY_WAY + " refreshed=" + REFRESHED;
    }
}
