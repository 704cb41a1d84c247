package io.verbena.nfs41.server.internal;

import java.time.Duration;
import java.util.Optional;
import java.util.function.IntSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The numbers of a configuration. Instead of an invalid number the default is used, and the log says so. */
final class ExportNumbers {
    private static final Logger LOG = LoggerFactory.getLogger(ExportNumbers.class);
    private static final int MAX_PORT = 0xffff;
    private static final int MIN_LEASE = 5;
    private static final int MAX_SECONDS = 3600;
    private static final int MAX_CREDITS = 1024;

    private final int port;
    private final int gssPort;
    private final int anonuid;
    private final int anongid;
    private final int leaseTime;
    private final int graceTime;
    private final int maxConnections;
    private final int credits;
    private String complaint;

    ExportNumbers(ExportConfiguration configuration) {
        port = number("port", configuration::port, 0, MAX_PORT, ExportConfiguration.PORT);
        gssPort = number("gssPort", configuration::gssPort, 0, MAX_PORT, ExportConfiguration.GSS_PORT);
        // a uid_t is unsigned: -1 and the like are what programs print of large ones
        anonuid = number(
                "anonuid", configuration::anonuid, Integer.MIN_VALUE, Integer.MAX_VALUE, ExportConfiguration.NOBODY);
        anongid = number(
                "anongid", configuration::anongid, Integer.MIN_VALUE, Integer.MAX_VALUE, ExportConfiguration.NOBODY);
        leaseTime = number(
                "leaseTime", configuration::leaseTime, MIN_LEASE, MAX_SECONDS, ExportConfiguration.LEASE_SECONDS);
        graceTime = number("graceTime", configuration::graceTime, 0, MAX_SECONDS, ExportConfiguration.GRACE_SECONDS);
        maxConnections = number(
                "maxConnections", configuration::maxConnections, 1, Integer.MAX_VALUE, ExportConfiguration.CONNECTIONS);
        credits = number("credits", configuration::credits, 1, MAX_CREDITS, ExportConfiguration.CREDITS);
    }

    /** A value that is no number is an exception where it is asked for. */
    private int number(String key, IntSupplier configured, int min, int max, int otherwise) {
        String not = "";
        try {
            int number = configured.getAsInt();
            if (number >= min && number <= max) {
                return number;
            }
            not = ", not " + number;
        } catch (RuntimeException e) { // of Declarative Services, whose class is not there without OSGi
            LOG.debug("{} is not read", key, e);
        }
        String from = min == Integer.MIN_VALUE ? "" : " from " + min;
        String to = max == Integer.MAX_VALUE ? "" : " to " + max;
        complaint = "'" + key + "' is a number" + from + to + not;
        return otherwise;
    }

    /** What is wrong with one of them. */
    Optional<String> complaint() {
        return Optional.ofNullable(complaint);
    }

    int gssPort() {
        return gssPort;
    }

    int port() {
        return port;
    }

    int anonuid() {
        return anonuid;
    }

    int anongid() {
        return anongid;
    }

    Duration leaseTime() {
        return Duration.ofSeconds(leaseTime);
    }

    Duration graceTime() {
        return Duration.ofSeconds(graceTime);
    }

    int maxConnections() {
        return maxConnections;
    }

    int credits() {
        return credits;
    }
}
