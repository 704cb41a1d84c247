package io.verbena.nfs41.server.internal;

import io.verbena.nfs41.server.internal.state.StableFile;
import io.verbena.nfs41.server.internal.vfs.SipHash;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.SecureRandom;

/**
 * What an export keeps over restarts, in a folder of its own: {@code secret} for handles and cookies, {@code boot}, the
 * number of starts, and {@code clients}. Without it clients' handles would be refused after a restart.
 */
final class ExportState {
    private static final int SECRET_BYTES = 2 * SipHash.KEY_BYTES;

    private final Path folder;

    private ExportState(Path folder) {
        this.folder = folder;
    }

    static ExportState open(Path folder) throws IOException {
        StableFile.makeFolder(folder);
        return new ExportState(folder);
    }

    Path clients() {
        return folder.resolve("clients");
    }

    Path exclusiveCreates() {
        return folder.resolve("exclusive-creates");
    }

    /** The secret, made at the first start. */
    byte[] secret() throws IOException {
        Path file = folder.resolve("secret");
        try {
            byte[] secret = Files.readAllBytes(file);
            if (secret.length == SECRET_BYTES) {
                return secret;
            }
        } catch (NoSuchFileException e) {
            return makeSecret(file);
        }
        throw new IOException(file + " is damaged: remove it, and clients have to mount again");
    }

    private byte[] makeSecret(Path file) throws IOException {
        byte[] secret = new byte[SECRET_BYTES];
        new SecureRandom().nextBytes(secret);
        StableFile.replace(file, secret);
        return secret;
    }

    /** A number that no other of the last 2^31 starts has had. */
    int nextBoot() throws IOException {
        Path file = folder.resolve("boot");
        int last;
        try {
            last = Integer.parseInt(Files.readString(file).trim());
        } catch (NoSuchFileException | NumberFormatException e) {
            last = new SecureRandom().nextInt(Integer.MAX_VALUE);
        }
        int boot = last == Integer.MAX_VALUE ? 1 : last + 1;
        StableFile.replace(file, Integer.toString(boot).getBytes(StandardCharsets.US_ASCII));
        return boot;
    }

    /** Whether this process runs as root, and so may give files to their makers. */
    boolean isRootProcess() throws IOException {
        // what this process has just written belongs to the user that it runs as
        return Integer.valueOf(0)
                .equals(Files.getAttribute(folder.resolve("boot"), "unix:uid", LinkOption.NOFOLLOW_LINKS));
    }
}
