package io.verbena.cli.internal;

import io.verbena.nfs.Export;
import io.verbena.text.LocalNames;
import java.nio.file.Path;
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
 * @param provider the RDMA provider that listens, see {@link Export#PROVIDER}
 * @param sync whether changes are on stable storage before the server replies, see {@link Export#SYNC}
 */
public record ExportRequest(
        String name,
        Path directory,
        String address,
        int port,
        boolean readOnly,
        String squash,
        String provider,
        boolean sync) {
    Map<String, Object> configuration() {
        return Map.of(
                Export.DIRECTORY, LocalNames.text(directory),
                Export.ADDRESS, address,
                Export.PORT, port,
                Export.READ_ONLY, readOnly,
                Export.SQUASH, squash,
                Export.PROVIDER, provider,
                Export.SYNC, sync ? "on" : "off");
    }
}
