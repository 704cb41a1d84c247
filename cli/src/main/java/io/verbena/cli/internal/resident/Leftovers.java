package io.verbena.cli.internal.resident;

import io.verbena.cli.internal.Exports;
import io.verbena.cli.internal.Mounts;
import io.verbena.nfs.Export;
import io.verbena.nfs.Mount;
import java.io.IOException;
import org.apache.karaf.shell.support.CommandException;
import org.osgi.framework.BundleContext;
import org.osgi.service.cm.ConfigurationAdmin;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes what a script has left, as the end of its process would: mounts and exports. Afterwards the container has to
 * be as it was before the script.
 */
final class Leftovers {
    private static final Logger LOG = LoggerFactory.getLogger(Leftovers.class);

    private final BundleContext context;
    private final ConfigurationAdmin admin;
    private final Mounts mounts;
    private final Exports exports;

    Leftovers(BundleContext context, ConfigurationAdmin admin, Mounts mounts, Exports exports) {
        this.context = context;
        this.admin = admin;
        this.mounts = mounts;
        this.exports = exports;
    }

    /** Returns what is to be the same after a script. */
    Fingerprint before() throws IOException {
        return Fingerprint.of(context, admin);
    }

    /** Removes all mounts and exports. Returns whether all is as before. */
    boolean remove(Fingerprint before) {
        try {
            for (Mount mount : mounts.all()) {
                mounts.unmount(mount.name());
            }
            for (Export export : exports.all()) {
                exports.unexport(export.name());
            }
            Fingerprint now = before();
            boolean isSame = now.equals(before);
            if (!isSame) {
                LOG.warn("a script has changed the container: {}", now.differences(before));
            }
            return isSame;
        } catch (IOException | CommandException e) {
            LOG.warn("what a script has left is not removed", e);
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
