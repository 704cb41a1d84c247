package io.verbena.cli.internal;

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
 */
public record ExportRequest(
        String name, Path directory, String address, int port, boolean readOnly, String squash, String provider) {
    Map<String, Object> configuration() {
        return Map.of(
                Export.DIRECTORY, directory.toString(),
                Export.ADDRESS, address,
                Export.PORT, port,
                Export.READ_ONLY, readOnly,
                Export.SQUASH, squash,
                Export.PROVIDER, provider);
    }
}
