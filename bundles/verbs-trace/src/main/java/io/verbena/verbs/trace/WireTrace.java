package io.verbena.verbs.trace;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import org.osgi.annotation.versioning.ProviderType;

/**
 * Writes the traffic of connections to a pcapng file, as iWARP over TCP/IP. The file holds the octets of the wire where
 * a provider has them; for a provider that reports messages, it holds frames made of the messages. One trace at a time;
 * any thread may call the methods. Connections never wait for the file: traffic that comes faster than it can be
 * written is dropped, counted, and noted in the file.
 */
@ProviderType
public interface WireTrace {
    /**
     * Starts a trace. Established connections are traced from now on.
     *
     * @param file the file to create, readable by its owner only
     * @param overwrite whether the file may exist already
     * @throws java.nio.file.FileAlreadyExistsException where the file exists, and {@code overwrite} is false
     * @throws IllegalStateException where a trace runs
     */
    TraceStatus start(Path file, boolean overwrite) throws IOException;

    /**
     * Stops the trace after everything reported before is written.
     *
     * @return the final status
     * @throws IOException where the file could not be written completely, or does not accept data for a minute
     * @throws IllegalStateException where no trace runs
     */
    TraceStatus stop() throws IOException;

    /** The status of the running trace; empty where none runs. */
    Optional<TraceStatus> status();

    /** The final status of the trace that ended last, complete or not; empty where none has ended. */
    default Optional<TraceStatus> last() {
        return Optional.empty();
    }
}
