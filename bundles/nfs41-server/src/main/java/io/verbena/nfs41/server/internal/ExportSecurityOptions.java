package io.verbena.nfs41.server.internal;

import io.verbena.nfs41.server.internal.security.ExportSecurity;
import io.verbena.nfs41.server.internal.security.HostUsers;
import io.verbena.nfs41.server.internal.security.KerberosSettings;
import io.verbena.nfs41.server.internal.security.PrincipalMapping;
import io.verbena.nfs41.server.internal.security.SecurityKind;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The security of an export, of a configuration. What makes no sense is complained of. */
final class ExportSecurityOptions {
    private final ExportSecurity security;
    private final KerberosSettings kerberos;
    private String complaint;

    /** @param gssPort as configured, and in bounds */
    ExportSecurityOptions(ExportConfiguration configuration, int gssPort) {
        security = new ExportSecurity(
                kinds(ExportOptions.text(configuration.sec(), SecurityKind.SYS.word())),
                PrincipalMapping.NONE,
                domain(ExportOptions.text(configuration.domain(), "")),
                HostUsers.OF_HOST);
        String keytab = ExportOptions.text(configuration.keytab(), "");
        String principal = ExportOptions.text(configuration.principal(), "");
        String principals = ExportOptions.text(configuration.principals(), "");
        if (!principal.isEmpty() && !KerberosSettings.isServer(principal)) {
            complain("'principal' is SERVICE/HOST or SERVICE/HOST@REALM, as in nfs/host.example.org, not '" + principal
                    + "'");
        }
        kerberos = security.usesKerberos()
                ? new KerberosSettings(
                        keytab.isEmpty() ? KerberosSettings.defaultKeytab() : Path.of(keytab),
                        Optional.of(principal).filter(text -> !text.isEmpty()),
                        Optional.of(principals).filter(text -> !text.isEmpty()).map(Path::of),
                        gssPort)
                : null;
    }

    private List<SecurityKind> kinds(String words) {
        List<SecurityKind> kinds = new ArrayList<>();
        for (String word : words.split(":", -1)) {
            Optional<SecurityKind> kind = SecurityKind.ofWord(word.trim());
            if (kind.isEmpty()) {
                complain("'sec' is sys, krb5, krb5i and krb5p, those that are allowed with colons between them, not '"
                        + words + "'");
            } else if (!kinds.contains(kind.get())) {
                kinds.add(kind.get());
            }
        }
        return kinds;
    }

    private String domain(String text) {
        if (!text.matches("[^@\\s]*")) {
            complain("'domain' is a name such as example.org, not '" + text + "'");
            return "";
        }
        return text;
    }

    private void complain(String what) {
        if (complaint == null) {
            complaint = what;
        }
    }

    ExportSecurity security() {
        return security;
    }

    /** Null without Kerberos. */
    KerberosSettings kerberos() {
        return kerberos;
    }

    /** What is wrong with it. */
    Optional<String> complaint() {
        return Optional.ofNullable(complaint);
    }
}
