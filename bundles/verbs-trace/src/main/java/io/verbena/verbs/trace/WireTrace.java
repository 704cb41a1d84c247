package io.verbena.verbs.trace;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import org.osgi.annotation.versioning.ProviderType;

/**
 * Writes what connections carry to a file in the pcapng format, as iWARP over TCP/IP: true octets where a provider has
 * them, and where it has messages only, frames made of these. One trace at a time; may be called from any thread. Data
 * never waits for the file: what comes faster than it can be written is dropped, counted, and noted in the file.
 */
@ProviderType
public interface WireTrace {
    /**
     * Begins. Connections that stand already are traced from now on.
     *
     * @param file is made, for its owner alone to read
     * @param overwrite whether it may be there already
     * @throws java.nio.file.FileAlreadyExistsException where it is, and may not be
     * @throws IllegalStateException where a trace runs
     */
    TraceStatus start(Path file, boolean overwrite) throws IOException;

    /**
     * Ends, when all that was told before is written.
     *
     * @return what was written
     * @throws IOException where the file could not be written to its end, or takes nothing for a minute
     * @throws IllegalStateException where no trace runs
     */
    TraceStatus stop() throws IOException;

    /** How it stands with the trace that runs; empty where none does. */
    Optional<TraceStatus> status();
}
