package io.verbena.nfs41.client.internal;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.List;

/**
 * Tells this host and state directory from all others: a hash, since the machine id is not for others to know
 * (machine-id(5)). Containers of one host have one machine id, and clones of a machine too: so the host's name, the
 * directory's path, and a random number that is kept in the directory are part of it.
 */
final class HostIdentity {
    private static final List<Path> MACHINE_IDS = List.of(
            Path.of("/etc/machine-id"),
            Path.of("/var/lib/dbus/machine-id"),
            // of a host without any: the owner lasts until the next boot
            Path.of("/proc/sys/kernel/random/boot_id"));

    private static final Path HOST_NAME = Path.of("/proc/sys/kernel/hostname");
    private static final int MAX_LENGTH = 128;

    private HostIdentity() {}

    /**
     * 32 hexadecimal digits.
     *
     * @param directory where the random number is kept, made by the first that comes
     */
    static String of(Path directory) throws IOException {
        return hash(String.join(
                "\0", machineId(), read(HOST_NAME), directory.toRealPath().toString(), directoryId(directory)));
    }

    static String hash(String text) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update("verbena client owner\0".getBytes(StandardCharsets.UTF_8));
            return HexFormat.of()
                    .formatHex(digest.digest(text.getBytes(StandardCharsets.UTF_8)))
                    .substring(0, 32);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JVM has SHA-256", e);
        }
    }

    private static String machineId() {
        return MACHINE_IDS.stream()
                .map(HostIdentity::read)
                .filter(id -> !id.isEmpty() && !id.equals("uninitialized"))
                .findFirst()
                .orElse("");
    }

    /** The file's text, or nothing where it cannot be read. */
    private static String read(Path file) {
        try (var in = Files.newInputStream(file)) {
            return new String(in.readNBytes(MAX_LENGTH), StandardCharsets.UTF_8).strip();
        } catch (IOException e) {
            return "";
        }
    }

    /** Comes into being as a whole, so that of several processes all read the same. */
    private static String directoryId(Path directory) throws IOException {
        Path file = directory.resolve("id");
        String present = read(file);
        if (!present.isEmpty()) {
            return present;
        }
        byte[] random = new byte[16];
        new SecureRandom().nextBytes(random);
        Path made = Files.createTempFile(directory, "id", null);
        try {
            Files.writeString(made, HexFormat.of().formatHex(random));
            Files.createLink(file, made);
        } catch (FileAlreadyExistsException e) {
            // another process was quicker
        } finally {
            Files.delete(made);
        }
        present = read(file);
        if (present.isEmpty()) {
            throw new IOException(file + " is empty: remove it");
        }
        return present;
    }
}
