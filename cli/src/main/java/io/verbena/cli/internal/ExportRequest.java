package io.verbena.cli.internal;

import io.verbena.cli.LocalNames;
import io.verbena.nfs.Export;
import java.nio.file.Path;
import java.util.Map;

/**
 * An export to make.
 *
 * @param name what it is called
 * @param directory what is exported
 * @param address where it listens
 * @param port likewise; 0 picks a free one
 * @param readOnly whether clients can only read
 * @param squash who counts as the anonymous user, see {@link Export#SQUASH}
 * @param provider what listens, see {@link Export#PROVIDER}
 * @param sync whether changes are on stable storage before clients are told of them, see {@link Export#SYNC}
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
