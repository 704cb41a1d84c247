package io.verbena.verbs.natives.internal.settings;

import org.osgi.service.metatype.annotations.AttributeDefinition;
import org.osgi.service.metatype.annotations.ObjectClassDefinition;

@ObjectClassDefinition(
        id = NativeConfiguration.PID,
        name = "Verbena native RDMA",
        description = "RDMA with the devices of this host, through libibverbs and librdmacm")
public @interface NativeConfiguration {
    String PID = "io.verbena.verbs.native";
    int MAX_PENDING_REQUESTS = 64;

    @AttributeDefinition(
            name = "Polling phase",
            description = "Microseconds that a connection's thread looks for completions again and again before it"
                    + " waits for the device's event: lower latency for a processor that is kept busy; 0: none."
                    + " A connection may say otherwise by its option poll")
    int poll_us() default 0;

    @AttributeDefinition(
            name = "Pending requests",
            description =
                    "The most connection requests of a listener that are handled at once; for one more the oldest of"
                            + " the host with the most is dropped")
    int max_pending_requests() default MAX_PENDING_REQUESTS;

    @AttributeDefinition(
            name = "Devices",
            description = "Names of the devices that may be used, as rdma link shows them, apart by commas or blanks;"
                    + " none: all of them")
    String[] devices() default {};
}
