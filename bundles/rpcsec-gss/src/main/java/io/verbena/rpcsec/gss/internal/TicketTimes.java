package io.verbena.rpcsec.gss.internal;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import javax.security.auth.Subject;
import javax.security.auth.kerberos.KerberosTicket;
import org.ietf.jgss.GSSContext;
import org.ietf.jgss.GSSException;

/**
 * When security contexts end. The JDK's contexts know no end of their own; the tickets do, which they are made of. A
 * server never sees the end of its callers' tickets by the JDK's GSS-API: it forgets contexts by their age.
 */
final class TicketTimes {
    /** The age at which a server forgets a context; its caller makes another one. */
    static final Duration MOST_OF_SERVER = Duration.ofHours(10);

    /** How long a context is used whose tickets tell nothing. */
    private static final Duration UNKNOWN = Duration.ofHours(1);

    private TicketTimes() {}

    /** The time until the context of a user ends. */
    static long secondsLeft(Subject user, GSSContext made, Instant now) throws GSSException {
        String service = made.getTargName().toString();
        Set<KerberosTicket> tickets = user.getPrivateCredentials(KerberosTicket.class);
        Optional<Instant> end = latestEnd(tickets, ticket -> name(ticket).equals(service))
                .or(() -> latestEnd(tickets, ticket -> name(ticket).startsWith("krbtgt/")));
        return end.map(time -> Duration.between(now, time).toSeconds()).orElse(UNKNOWN.toSeconds());
    }

    private static Optional<Instant> latestEnd(Set<KerberosTicket> tickets, Predicate<KerberosTicket> wanted) {
        return tickets.stream()
                .filter(ticket -> !ticket.isDestroyed() && ticket.getEndTime() != null)
                .filter(wanted)
                .map(ticket -> ticket.getEndTime().toInstant())
                .max(Instant::compareTo);
    }

    private static String name(KerberosTicket ticket) {
        return String.valueOf(ticket.getServer());
    }
}
