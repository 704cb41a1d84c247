package io.verbena.nfs41.client.internal.util;

import io.verbena.nfs41.SecurityFlavor;
import io.verbena.rpc.security.ProtectionService;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** How calls are protected: the values of the mount option {@code sec}, see nfs(5). */
public enum SecurityKind {
    // in the order of what they protect
    /** {@code AUTH_SYS}: the caller claims to be a user. */
    SYS("sys", null),
    /** {@code AUTH_NONE}: the caller is nobody. */
    NONE("none", null),
    /** {@code RPCSEC_GSS} with Kerberos: the caller proves who it is. */
    KRB5("krb5", ProtectionService.NONE),
    /** Arguments and results are protected against changes, too. */
    KRB5I("krb5i", ProtectionService.INTEGRITY),
    /** Arguments and results are protected against readers, too. */
    KRB5P("krb5p", ProtectionService.PRIVACY);

    /** Kerberos Version 5 in DER (RFC 1964 section 1). */
    private static final String KERBEROS = "06092a864886f712010202";

    private final String word;
    private final ProtectionService protection;

    SecurityKind(String word, ProtectionService protection) {
        this.word = word;
        this.protection = protection;
    }

    /** The value of {@code sec}. */
    public String word() {
        return word;
    }

    /** Whether calls are made by RPCSEC_GSS. */
    public boolean isProtected() {
        return protection != null;
    }

    /** Whether another kind, of RPCSEC_GSS, protects more than this one. */
    public boolean isWeakerThan(SecurityKind other) {
        return other.isProtected() && compareTo(other) < 0;
    }

    /** What RPCSEC_GSS protects; null where calls are not made by it. */
    public ProtectionService protection() {
        return protection;
    }

    /** The kind of a value of {@code sec}; empty for another word, such as {@code auto}. */
    public static Optional<SecurityKind> of(String word) {
        return List.of(values()).stream().filter(each -> each.word.equals(word)).findFirst();
    }

    /** The kind of what a server offers; empty for what is not known here. */
    public static Optional<SecurityKind> of(SecurityFlavor offered) {
        return switch (offered.flavor()) {
            case SecurityFlavor.AUTH_NONE -> Optional.of(NONE);
            case SecurityFlavor.AUTH_SYS -> Optional.of(SYS);
            case SecurityFlavor.RPCSEC_GSS -> offered.gss().flatMap(SecurityKind::of);
            default -> Optional.empty();
        };
    }

    private static Optional<SecurityKind> of(SecurityFlavor.GssInfo offered) {
        // servers send the identifier with its tag and length, or without
        boolean isKerberos = KERBEROS.endsWith(offered.oid().toString().toLowerCase(Locale.ROOT))
                && offered.oid().toByteArray().length >= 9;
        return List.of(values()).stream()
                .filter(each -> isKerberos
                        && each.isProtected()
                        && offered.qop() == 0
                        && each.protection.number() == offered.service())
                .findFirst();
    }
}
