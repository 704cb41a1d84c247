package io.verbena.memory.internal;

import org.osgi.service.metatype.annotations.AttributeDefinition;
import org.osgi.service.metatype.annotations.ObjectClassDefinition;

@ObjectClassDefinition(
        id = MemoryConfiguration.PID,
        name = "Verbena memory",
        description = "The direct memory of all buffers. A change holds at once")
@interface MemoryConfiguration {
    String PID = "io.verbena.memory";

    @AttributeDefinition(
            name = "Limit",
            description = "The most octets of direct memory that all buffers hold in sum, as 512m or 2g; empty: seven"
                    + " eighths of what the JVM gives (-XX:MaxDirectMemorySize)")
    String limit() default "";
}
