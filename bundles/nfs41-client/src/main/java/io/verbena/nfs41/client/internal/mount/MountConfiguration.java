package io.verbena.nfs41.client.internal.mount;

import io.verbena.nfs.Mount;
import org.osgi.service.metatype.annotations.AttributeDefinition;
import org.osgi.service.metatype.annotations.ObjectClassDefinition;

/** The configuration of a mount. */
@ObjectClassDefinition(
        id = "io.verbena.nfs41.client.internal.MountConfiguration",
        name = "Verbena NFS mount",
        description = "An export of an NFSv4.1 server, reached over RDMA")
@interface MountConfiguration {
    /** {@link Mount#NAME}. */
    @AttributeDefinition(name = "Name", description = "What the mount is called in commands and paths")
    String verbena_mount_name();

    /** {@link Mount#SERVER}. */
    @AttributeDefinition(name = "Server", description = "Host name or address")
    String server();

    /** {@link Mount#EXPORT}. */
    @AttributeDefinition(name = "Export", description = "Path of the export on the server")
    String export() default "/";

    /** {@link Mount#OPTIONS}. */
    @AttributeDefinition(
            name = "Options",
            description = "As in the fourth field of fstab, like port=20049,soft",
            required = false)
    String options() default "";
}
