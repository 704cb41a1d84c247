package io.verbena.nfs.transfer.internal.engine;

import io.verbena.nfs.transfer.CopyEngine;
import io.verbena.runtime.Runtime;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;

/** The copy engine as an OSGi service. */
@Component(service = CopyEngine.class)
public final class CopyEngineComponent extends TransferEngine {
    @Activate
    public CopyEngineComponent(@Reference Runtime runtime) {
        super(runtime);
    }

    @Deactivate
    void deactivate() {
        close();
    }
}
