package io.verbena.itests.linuxpeer;

import io.verbena.nfs.Mount;
import io.verbena.nfs.RemoteFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Random;
import java.util.Set;

/** The contents of files in these tests, and their digests. */
final class Contents {
    private static final int MODE = 0644;

    private Contents() {}

    /** Random octets; the same seed and length yield the same octets. */
    static byte[] random(int seed, int length) {
        byte[] content = new byte[length];
        new Random(seed).nextBytes(content);
        return content;
    }

    static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java runtime has SHA-256", e);
        }
    }

    /** The digest as sha256sum(1) prints it. */
    static String sha256(byte[] content) {
        return hex(sha256().digest(content));
    }

    static String hex(byte[] digest) {
        return HexFormat.of().formatHex(digest);
    }

    /** Creates a file, or replaces its content. */
    static void write(Mount mount, String path, byte[] content) throws IOException {
        try (RemoteFile file = mount.open(
                path,
                Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING),
                MODE)) {
            file.write(ByteBuffer.wrap(content), 0);
        }
    }

    /** Reads a whole file. */
    static byte[] read(Mount mount, String path) throws IOException {
        try (RemoteFile file = mount.open(path, Set.of(StandardOpenOption.READ), MODE)) {
            ByteBuffer all =
                    ByteBuffer.allocate(Math.toIntExact(file.attributes().size()));
            file.read(all, 0);
            if (all.hasRemaining()) {
                throw new AssertionError(path + " ends after " + all.position() + " of " + all.capacity() + " octets");
            }
            return all.array();
        }
    }
}
