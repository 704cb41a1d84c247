package io.verbena.rpc.security;

import javax.security.auth.Subject;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * Where a user's credentials come from. It is asked each time that a security context is made, so that a ticket that
 * was renewed counts at once. Thread safe; may block.
 */
@ConsumerType
@FunctionalInterface
public interface UserLogin {
    /**
     * The user with credentials that last, such as a ticket-granting ticket.
     *
     * @throws SecurityUnavailableException where there are none
     */
    Subject login() throws SecurityUnavailableException;
}
