package io.verbena.nfs;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * A server that answers no request.
 *
 * @param server host name or address
 * @param since when the oldest request was made that has waited since the server's last reply
 * @param givesUp when the waiting operations fail, as those of a soft mount do; empty if they wait without end
 */
public record UnresponsiveServer(String server, Instant since, Optional<Instant> givesUp) {
    /** For how long the server has not answered. */
    public Duration length(Instant now) {
        Duration length = Duration.between(since, now);
        return length.isNegative() ? Duration.ZERO : length;
    }
}
