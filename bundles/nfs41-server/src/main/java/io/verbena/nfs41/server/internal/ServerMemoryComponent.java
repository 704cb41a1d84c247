package io.verbena.nfs41.server.internal;

import java.util.function.IntSupplier;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Modified;
import org.osgi.service.metatype.annotations.Designate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The one {@link ServerMemory} of all exports, as it is configured. */
@Component(service = ServerMemoryComponent.class, configurationPid = ServerConfiguration.PID)
@Designate(ocd = ServerConfiguration.class)
public final class ServerMemoryComponent {
    private static final Logger LOG = LoggerFactory.getLogger(ServerMemoryComponent.class);
    private static final int MEBIBYTE_BITS = 20;

    private final ServerMemory memory = ServerMemory.ofHeap();
    private final long byDefault = memory.states().limit();

    @Activate
    public ServerMemoryComponent(ServerConfiguration configuration) {
        configure(configuration);
    }

    @Modified
    void configure(ServerConfiguration configuration) {
        int mebibytes = number(configuration::stateMemory);
        memory.states().limit(mebibytes == 0 ? byDefault : (long) mebibytes << MEBIBYTE_BITS);
    }

    /** A value that is no number is an exception where it is asked for. */
    private static int number(IntSupplier configured) {
        String not = "";
        try {
            int number = configured.getAsInt();
            if (number >= 0) {
                return number;
            }
            not = ", not " + number;
        } catch (RuntimeException e) { // of Declarative Services, whose class is not there without OSGi
            LOG.debug("stateMemory is not read", e);
        }
        LOG.warn(
                "{}: 'stateMemory' is a number of MiB from 0{}; a quarter of the heap is taken",
                ServerConfiguration.PID,
                not);
        return 0;
    }

    ServerMemory memory() {
        return memory;
    }
}
