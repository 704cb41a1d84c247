package io.verbena.cli.internal;

import io.verbena.cli.CommandFailure;
import io.verbena.cli.ExitStatus;
import io.verbena.fuse.FuseMounts;
import org.apache.karaf.shell.support.CommandException;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ReferenceCardinality;
import org.osgi.service.component.annotations.ReferencePolicy;

/** Finds what makes mounts that every program sees; its bundle may come and go. May be called from any thread. */
@Component(service = FuseServices.class)
public final class FuseServices {
    private volatile FuseMounts service;

    @Reference(cardinality = ReferenceCardinality.OPTIONAL, policy = ReferencePolicy.DYNAMIC)
    void setService(FuseMounts newService) {
        service = newService;
    }

    void unsetService(FuseMounts gone) {
        if (service == gone) {
            service = null;
        }
    }

    /** Returns whether a directory shows a mount. */
    public boolean isShown(String mount) {
        FuseMounts present = service;
        return present != null
                && present.all().stream().anyMatch(each -> each.mount().equals(mount));
    }

    /** Returns the service. */
    public FuseMounts get() throws CommandException {
        FuseMounts present = service;
        if (present == null) {
            throw new CommandFailure(
                    ExitStatus.NO_CONNECTION,
                    "nothing here can mount at a directory: is the bundle io.verbena.fuse started?");
        }
        return present;
    }
}
