package io.verbena.nfs41.server.internal;

import org.osgi.service.metatype.annotations.AttributeDefinition;
import org.osgi.service.metatype.annotations.ObjectClassDefinition;

@ObjectClassDefinition(
        id = ServerConfiguration.PID,
        name = "Verbena NFS server",
        description = "What the exports of this process share. Changes hold at once")
@interface ServerConfiguration {
    String PID = "io.verbena.nfs.server";

    @AttributeDefinition(
            name = "State memory",
            description =
                    "MiB of the heap that sessions, cached replies, opens, locks and delegations of all clients may"
                            + " take; 0: a quarter of the heap",
            min = "0")
    int stateMemory() default 0;
}
