package io.verbena.rpc;

import org.osgi.annotation.versioning.ConsumerType;

/**
 * Who makes calls, and how that is proved and kept: a security flavor (RFC 5531 section 8.2) whose credentials and
 * verifiers are made anew for each transmission, such as RPCSEC_GSS (RFC 2203). A flavor with one credential for all
 * calls is a {@link Credential}. Thread safe.
 */
@ConsumerType
@FunctionalInterface
public interface CallSecurity {
    /** Begins the protection of one call of a procedure. Must not block. */
    CallProtection protect(int program, int version, int procedure);
}
