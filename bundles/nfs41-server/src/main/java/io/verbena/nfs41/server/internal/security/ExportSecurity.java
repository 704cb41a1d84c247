package io.verbena.nfs41.server.internal.security;

import io.verbena.nfs41.SecurityFlavor;
import io.verbena.rpc.Credential;
import java.util.List;

/**
 * What an export asks of its callers.
 *
 * @param kinds those that are allowed, the preferred one first
 * @param mapping the users of principals
 * @param domain of the names of owners; empty for numbers
 * @param users those of the host
 */
public record ExportSecurity(List<SecurityKind> kinds, PrincipalMapping mapping, String domain, HostUsers users) {
    /** AUTH_SYS and AUTH_NONE, with owners as numbers. */
    public static final ExportSecurity SYS = of(SecurityKind.SYS);

    public ExportSecurity {
        kinds = List.copyOf(kinds);
    }

    /** These kinds, with owners as numbers; all principals are anonymous. */
    public static ExportSecurity of(SecurityKind... kinds) {
        return new ExportSecurity(List.of(kinds), PrincipalMapping.NONE, "", HostUsers.OF_HOST);
    }

    public ExportSecurity withMapping(PrincipalMapping other) {
        return new ExportSecurity(kinds, other, domain, users);
    }

    /** Whether principals of Kerberos may call. */
    public boolean usesKerberos() {
        return kinds.stream().anyMatch(SecurityKind::isKerberos);
    }

    /** Whether a request with that credential may read and change what the export has. */
    public boolean allows(Credential credential) {
        return SecurityKind.of(credential).filter(kinds::contains).isPresent();
    }

    /** The answer of SECINFO (RFC 8881 section 18.29). */
    public List<SecurityFlavor> flavors() {
        return kinds.stream().flatMap(kind -> kind.flavors().stream()).toList();
    }
}
