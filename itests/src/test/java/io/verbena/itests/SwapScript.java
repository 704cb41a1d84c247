package io.verbena.itests;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Commands that replace bundles under load. */
public final class SwapScript {
    private static final String IN_ANY_WAY = "io.verbena.verbs.iwarp,io.verbena.rpcrdma.cm,io.verbena.rpcrdma.v1,"
            + "io.verbena.rpcrdma.v2,io.verbena.rpcrdma.dispatcher,io.verbena.nfs41.client";
    private static final String REFRESHED = "io.verbena.rpcrdma,io.verbena.rpc,io.verbena.xdr";

    /** Installs the bundle with the commands of the scope swap. */
    static final String INSTALL = "bundle:install -s file:" + System.getProperty("verbena.swap.probe");

    private SwapScript() {}

    /**
     * The commands of a run on a mount.
     *
     * @param folder a local folder, in which the run creates a folder
     * @param mebibytes the size of the copied files, unless the system property {@code verbena.swap.size} is set
     * @param swaps the number of swaps, unless {@code verbena.swap.count} is set
     */
    public static String run(Path folder, String mount, int mebibytes, int swaps) throws IOException {
        return run(folder, mount, mebibytes, swaps, "bundles=" + IN_ANY_WAY + " refreshed=" + REFRESHED);
    }

    /**
     * As above.
     *
     * @param replaced the settings {@code bundles} and {@code refreshed}
     */
    static String run(Path folder, String mount, int mebibytes, int swaps, String replaced) throws IOException {
        Path own = Files.createDirectory(folder.resolve("swap"));
        return INSTALL + "\nswap:run mount=" + mount
                + " folder=" + own + " size=" + Integer.getInteger("verbena.swap.size", mebibytes) + " swaps="
                + Integer.getInteger("verbena.swap.count", swaps) + " seed=" + Long.getLong("verbena.swap.seed", 0)
                + " " + replaced;
    }
}
