package io.verbena.cli.internal;

import io.verbena.nfs.Export;
import io.verbena.text.LocalNames;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * A request for a new export.
 *
 * @param name the name of the export
 * @param directory the exported directory
 * @param address the address on which the export listens
 * @param port the port on which the export listens; 0 for any free port
 * @param readOnly whether clients can only read
 * @param squash the users that count as the anonymous user, see {@link Export#SQUASH}
 * @param allow the hosts that may connect, see {@link Export#ALLOW}; empty for this host alone
 * @param allowUser the users whose requests are executed, see {@link Export#ALLOW_USER}; empty for all
 * @param secure whether peers have to connect from a port below 1024
 * @param nosuid whether files get no set-id bits from users other than root
 * @param provider the RDMA provider that listens, see {@link Export#PROVIDER}
 * @param sync whether changes are on stable storage before the server replies, see {@link Export#SYNC}
 * @param security how callers prove who they are
 */
public record ExportRequest(
        String name,
        Path directory,
        String address,
        int port,
        boolean readOnly,
        String squash,
        List<String> allow,
        List<String> allowUser,
        boolean secure,
        boolean nosuid,
        String provider,
        boolean sync,
        Security security) {
    /**
     * How callers prove who they are.
     *
     * @param sec the kinds that are allowed, see {@link Export#SEC}
     * @param keytab see {@link Export#KEYTAB}; empty for that of this host
     * @param principal see {@link Export#PRINCIPAL}; empty for that of this host
     * @param principals see {@link Export#PRINCIPALS}; empty for no file
     * @param domain see {@link Export#DOMAIN}; empty for numbers
     * @param gssPort see {@link Export#GSS_PORT}
     */
    public record Security(String sec, String keytab, String principal, String principals, String domain, int gssPort) {
        /** Nobody proves anything. */
        public static final Security SYS = new Security("sys", "", "", "", "", Export.DEFAULT_GSS_PORT);
    }

    public ExportRequest {
        allow = List.copyOf(allow);
        allowUser = List.copyOf(allowUser);
    }

    Map<String, Object> configuration() {
        return Map.ofEntries(
                Map.entry(Export.DIRECTORY, LocalNames.text(directory)),
                Map.entry(Export.ADDRESS, address),
                Map.entry(Export.PORT, port),
                Map.entry(Export.READ_ONLY, readOnly),
                Map.entry(Export.SQUASH, squash),
                Map.entry(Export.ALLOW, allow.toArray(new String[0])),
                Map.entry(Export.ALLOW_USER, allowUser.toArray(new String[0])),
                Map.entry(Export.SECURE, secure ? "on" : "off"),
                Map.entry(Export.NOSUID, nosuid ? "on" : "off"),
                Map.entry(Export.PROVIDER, provider),
                Map.entry(Export.SYNC, sync ? "on" : "off"),
                Map.entry(Export.SEC, security.sec),
                Map.entry(Export.KEYTAB, security.keytab),
                Map.entry(Export.PRINCIPAL, security.principal),
                Map.entry(Export.PRINCIPALS, security.principals),
                Map.entry(Export.DOMAIN, security.domain),
                Map.entry(Export.GSS_PORT, security.gssPort));
    }
}
