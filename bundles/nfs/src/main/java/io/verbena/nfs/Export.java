package io.verbena.nfs;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.osgi.annotation.versioning.ProviderType;

/**
 * A directory of this host that is offered over NFSv4.1; a service with the property {@link #NAME}. Each configuration
 * of the factory {@link #PID} makes one, whether or not it can listen: {@link #awaitListening} tells.
 */
@ProviderType
public interface Export {
    /** Factory pid of exports: {@code io.verbena.nfs.export~NAME}. */
    String PID = "io.verbena.nfs.export";

    /** Service property and configuration key: the export's name. */
    String NAME = "verbena.export.name";

    /** Configuration key: the directory. */
    String DIRECTORY = "directory";

    /** Configuration key: the port, 20049 by default; 0 picks a free one. */
    String PORT = "port";

    /** Configuration key: the address to listen on, 127.0.0.1 by default. */
    String ADDRESS = "address";

    /** Configuration key: whether the directory can only be read. */
    String READ_ONLY = "readOnly";

    /**
     * Configuration key: who counts as the anonymous user, {@code root} (the default), {@code all} or {@code none}; as
     * exports(5) has it.
     */
    String SQUASH = "squash";

    /**
     * Configuration key: the RDMA provider to listen with; {@code auto} (the default) listens with {@code iwarp}, which
     * serves every peer that speaks iWARP; those on InfiniBand and RoCE need {@code native}.
     */
    String PROVIDER = "provider";

    /**
     * Configuration key: {@code on} (the default) or {@code off}, whether changes of names and attributes are on stable
     * storage before clients are told of them; as {@code sync} and {@code async} of exports(5).
     */
    String SYNC = "sync";

    String name();

    Path directory();

    boolean isReadOnly();

    /** Whether changes of names and attributes are on stable storage before clients are told of them. */
    default boolean isSync() {
        return true;
    }

    /** Where it listens, its port resolved; empty where it does not. */
    Optional<InetSocketAddress> localAddress();

    /** Why it does not listen. */
    Optional<IOException> failure();

    /**
     * Waits until it listens.
     *
     * @throws IOException why it cannot
     */
    void awaitListening(Duration timeout) throws IOException;

    /**
     * How it listens, by name, for people to read: {@code provider}, {@code providerChoice} (why it is that one); empty
     * where it does not.
     */
    Map<String, String> settings();

    /** Clients, sessions, open files and operations so far, by name, for people to read. */
    Map<String, Long> counters();
}
