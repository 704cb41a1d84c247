package io.verbena.nfs41.client.internal.identity;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * The identity of this host and state directory. It is a hash, since the machine id must not be exposed
 * (machine-id(5)). Containers of one host and clones of a machine share a machine id; so the hash includes the host's
 * name, the directory's path, and a random number that is kept in the directory.
 */
final class HostIdentity {
    private static final List<Path> MACHINE_IDS = List.of(
            Path.of("/etc/machine-id"),
            Path.of("/var/lib/dbus/machine-id"),
            // a host without a machine id: the owner lasts until the next boot
            Path.of("/proc/sys/kernel/random/boot_id"));

    private static final Path HOST_NAME = Path.of("/proc/sys/kernel/hostname");
    private static final int MAX_LENGTH = 128;

    private HostIdentity() {}

    /**
     * 32 hexadecimal digits.
     *
     * @param directory where the random number is kept; the first process makes it
     * @param random draws that number
     */
    static String of(Path directory, RandomGenerator random) throws IOException {
        return hash(String.join(
                "\0", machineId(), read(HOST_NAME), directory.toRealPath().toString(), directoryId(directory, random)));
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

    /** Writes the file atomically, so that several processes read the same number. */
    private static String directoryId(Path directory, RandomGenerator random) throws IOException {
        Path file = directory.resolve("id");
        String present = read(file);
        if (!present.isEmpty()) {
            return present;
        }
        byte[] octets = new byte[16];
        random.nextBytes(octets);
        Path made = Files.createTempFile(directory, "id", null);
        try {
            Files.writeString(made, HexFormat.of().formatHex(octets));
            Files.createLink(file, made);
        } catch (FileAlreadyExistsException e) {
            // another process has written it first
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
