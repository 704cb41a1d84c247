package io.verbena.dirfd.host;

import io.verbena.dirfd.internal.LocalPaths;
import io.verbena.dirfd.internal.linux.AttributeNames;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Lists extended attributes of all namespaces; java.nio lists those of {@code user} only. Thread safe. */
public final class ExtendedAttributes {
    private static final Logger LOG = LoggerFactory.getLogger(ExtendedAttributes.class);

    private ExtendedAttributes() {}

    /** Loads the native code once, on first use. */
    private static final class Native {
        static final AttributeNames LOADED = load();

        private static AttributeNames load() {
            try {
                return AttributeNames.load();
            } catch (IOException | LinkageError | RuntimeException e) {
                LOG.info("Extended attributes are told of as far as java.nio does, those of users", e);
                return null;
            }
        }
    }

    /**
     * The names of a file's extended attributes with their namespaces, as far as this process may see them.
     *
     * @param path the file's path; a symbolic link is followed
     * @return empty where this host has no way to list them; an empty list where the file has none
     */
    public static Optional<List<String>> names(Path path) throws IOException {
        return Native.LOADED == null ? Optional.empty() : Optional.of(Native.LOADED.of(LocalPaths.octets(path)));
    }
}
