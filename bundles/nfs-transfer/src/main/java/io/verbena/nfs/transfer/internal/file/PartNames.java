package io.verbena.nfs.transfer.internal.file;

import io.verbena.nfs.transfer.internal.block.Contents;
import io.verbena.nfs.transfer.internal.tree.HiddenNames;
import io.verbena.runtime.Runtime;
import io.verbena.text.LocalNames;
import io.verbena.text.OctetText;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Names the temporary files that later copies continue. A name is a digest of a secret of this user and of what the
 * file is a copy of, so that no server and no other user can put an object under the name in advance. The secret is in
 * the file {@code clients/parts} of the state directory. Without that file it is a random number of this object, and
 * only copies of the engine that has it continue each other's files. Thread safe.
 */
public final class PartNames {
    private static final Logger LOG = LoggerFactory.getLogger(PartNames.class);
    private static final int LENGTH = 32;

    /** Holds the process's own numbers on Linux. */
    private static final Path PROCESS = LocalNames.path("/proc/self");

    private static final Set<PosixFilePermission> PRIVATE =
            Set.of(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE);

    private static final Set<PosixFilePermission> PRIVATE_DIRECTORY = PosixFilePermissions.fromString("rwx------");

    private final Runtime runtime;
    private final Path directory;
    private byte[] secret;

    /** Creates names with the secret of this user. */
    public PartNames(Runtime runtime) {
        this(runtime, stateDirectory());
    }

    /**
     * Creates names.
     *
     * @param state the directory for data that outlives the process; it need not exist
     */
    public PartNames(Runtime runtime, Path state) {
        this.runtime = runtime;
        this.directory = state.resolve("clients");
    }

    /** The directory of the client owner, too (docs/decisions/0020). */
    private static Path stateDirectory() {
        String state = System.getProperty("verbena.state", "");
        if (!state.isEmpty()) {
            return LocalNames.path(state);
        }
        String xdg = System.getenv("XDG_STATE_HOME");
        Path base = xdg != null && xdg.startsWith("/")
                ? LocalNames.path(xdg)
                : LocalNames.path(System.getProperty("user.home", "") + "/.local/state");
        return base.resolve("verbena");
    }

    /**
     * Returns the name, without its suffix, of the temporary file for a copy.
     *
     * @param identity what the file is a copy of
     */
    public String name(String identity) {
        MessageDigest digest = Contents.newDigest();
        digest.update(secret());
        return HiddenNames.resumable(HexFormat.of().formatHex(digest.digest(OctetText.encode(identity)), 0, 8));
    }

    /** The secret is read when the first name is needed: most copies need none. */
    private synchronized byte[] secret() {
        if (secret == null) {
            try {
                secret = kept();
            } catch (IOException | RuntimeException e) {
                LOG.warn(
                        "No secret can be kept in {}, so that only copies of this engine continue what --resume"
                                + " leaves: {}",
                        directory,
                        e.toString());
                secret = drawn(runtime);
            }
        }
        return secret;
    }

    private static byte[] drawn(Runtime runtime) {
        byte[] octets = new byte[LENGTH];
        runtime.random().nextBytes(octets);
        return octets;
    }

    private byte[] kept() throws IOException {
        Files.createDirectories(directory, PosixFilePermissions.asFileAttribute(PRIVATE_DIRECTORY));
        Path file = directory.resolve("parts");
        Optional<byte[]> present = read(file);
        if (present.isPresent()) {
            return present.get();
        }
        Path made = Files.createTempFile(directory, "parts", null); // only this user may read it
        try {
            Files.write(made, drawn(runtime));
            Files.createLink(file, made); // whole from the beginning, for other processes
        } catch (FileAlreadyExistsException e) {
            LOG.debug("another process has made {} first", file);
        } finally {
            Files.delete(made);
        }
        return read(file).orElseThrow(() -> new IOException(file + " is not there"));
    }

    private static Optional<byte[]> read(Path file) throws IOException {
        if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
            return Optional.empty();
        }
        boolean isOwn = Files.getAttribute(file, "unix:uid", LinkOption.NOFOLLOW_LINKS)
                .equals(Files.getAttribute(PROCESS, "unix:uid"));
        boolean isPrivate = PRIVATE.containsAll(Files.getPosixFilePermissions(file, LinkOption.NOFOLLOW_LINKS));
        if (!isOwn || !isPrivate || !Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
            throw new IOException(file + " must be a file of this user that nobody else may read: remove it");
        }
        try (InputStream in = Files.newInputStream(file, LinkOption.NOFOLLOW_LINKS)) {
            byte[] octets = in.readNBytes(LENGTH + 1);
            if (octets.length != LENGTH) {
                throw new IOException(file + " does not hold " + LENGTH + " octets: remove it");
            }
            return Optional.of(octets);
        }
    }
}
