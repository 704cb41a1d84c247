package io.verbena.nfs41.server.internal.security;

import io.verbena.nfs41.Opaque;
import io.verbena.nfs41.SecurityFlavor;
import io.verbena.rpc.Credential;
import io.verbena.rpc.security.ProtectionService;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** A kind of security, by the word that exports(5) has for it, and its entry in SECINFO (RFC 8881 section 18.29). */
public enum SecurityKind {
    /** AUTH_SYS, and AUTH_NONE for the anonymous user: no proof. */
    SYS(null),
    /** RPCSEC_GSS with Kerberos: who calls is proved. */
    KRB5(ProtectionService.NONE),
    /** The same, and what is sent is kept from changes. */
    KRB5I(ProtectionService.INTEGRITY),
    /** The same, and what is sent is kept from readers too. */
    KRB5P(ProtectionService.PRIVACY);

    /**
     * 1.2.840.113554.1.2.2, Kerberos Version 5 (RFC 1964 section 1): the content octets in DER, without tag and length,
     * as all known clients have it.
     */
    private static final Opaque KERBEROS = Opaque.of(
            (byte) 0x2a, (byte) 0x86, (byte) 0x48, (byte) 0x86, (byte) 0xf7, (byte) 18, (byte) 1, (byte) 2, (byte) 2);

    private final ProtectionService service;

    SecurityKind(ProtectionService service) {
        this.service = service;
    }

    /** The kind that a word of a configuration means. */
    public static Optional<SecurityKind> ofWord(String word) {
        for (SecurityKind each : values()) {
            if (each.word().equals(word)) {
                return Optional.of(each);
            }
        }
        return Optional.empty();
    }

    /** The kind of a request's credential; empty for a flavor that no kind has. */
    public static Optional<SecurityKind> of(Credential credential) {
        if (credential instanceof Credential.Sys || credential instanceof Credential.None) {
            return Optional.of(SYS);
        }
        if (credential instanceof Credential.Proved proved && proved.flavor() == SecurityFlavor.RPCSEC_GSS) {
            for (SecurityKind each : values()) {
                if (each.service != null && each.service.number() == proved.service()) {
                    return Optional.of(each);
                }
            }
        }
        return Optional.empty();
    }

    /** {@code sys}, {@code krb5}, {@code krb5i} or {@code krb5p}. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    public boolean isKerberos() {
        return service != null;
    }

    /** The entries of SECINFO. */
    List<SecurityFlavor> flavors() {
        if (service == null) {
            return List.of(SecurityFlavor.of(SecurityFlavor.AUTH_SYS), SecurityFlavor.of(SecurityFlavor.AUTH_NONE));
        }
        SecurityFlavor.GssInfo info = new SecurityFlavor.GssInfo(KERBEROS, 0, service.number());
        return List.of(new SecurityFlavor(SecurityFlavor.RPCSEC_GSS, Optional.of(info)));
    }
}
