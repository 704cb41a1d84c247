package io.verbena.openmetrics.internal;

import org.osgi.service.metatype.annotations.AttributeDefinition;
import org.osgi.service.metatype.annotations.ObjectClassDefinition;

@ObjectClassDefinition(
        id = OpenMetricsConfiguration.PID,
        name = "Verbena OpenMetrics",
        description = "The HTTP endpoint with the metrics of mounts, connections and memory. A change restarts it")
@interface OpenMetricsConfiguration {
    String PID = "io.verbena.openmetrics";
    String LOOPBACK = "127.0.0.1";
    int PORT = 9464;
    int SERIES = 20_000;

    @AttributeDefinition(name = "Enabled", description = "Whether the endpoint is there")
    boolean enabled() default true;

    @AttributeDefinition(
            name = "Host",
            description =
                    "The address that the endpoint listens at. Whoever reaches the address reads the metrics: there"
                            + " is no authentication")
    String host() default LOOPBACK;

    @AttributeDefinition(name = "Port", description = "The port of the endpoint; 0: a free one, which the log names")
    int port() default PORT;

    @AttributeDefinition(
            name = "Series",
            description = "The most series of one answer, 1000 to 1000000; what goes beyond is left out and counted")
    int series() default SERIES;
}
