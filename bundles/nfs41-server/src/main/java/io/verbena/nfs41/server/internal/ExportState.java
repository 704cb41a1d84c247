package io.verbena.nfs41.server.internal;

import io.verbena.nfs41.server.internal.session.StableFile;
import io.verbena.nfs41.server.internal.util.SipHash;
import io.verbena.runtime.Runtime;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * The state that an export keeps over restarts, in its own folder: {@code secret} for handles and cookies,
 * {@code boot}, the number of starts, {@code clients}, and {@code exclusive-creates}. Without this state, the server
 * would refuse its clients' handles after a restart.
 */
final class ExportState {
    private static final int SECRET_BYTES = 2 * SipHash.KEY_BYTES;

    private final Path folder;
    private final Runtime runtime;

    private ExportState(Path folder, Runtime runtime) {
        this.runtime = runtime;
        this.folder = folder;
    }

    static ExportState open(Path folder, Runtime runtime) throws IOException {
        StableFile.makeFolder(folder);
        return new ExportState(folder, runtime);
    }

    Path clients() {
        return folder.resolve("clients");
    }

    Path exclusiveCreates() {
        return folder.resolve("exclusive-creates");
    }

    /** The secret, which the first start makes. */
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
        runtime.random().nextBytes(secret);
        StableFile.replace(file, secret);
        return secret;
    }

    /** A number that differs from those of the last 2^31 starts. */
    int nextBoot() throws IOException {
        Path file = folder.resolve("boot");
        int last;
        try {
            last = Integer.parseInt(Files.readString(file).trim());
        } catch (NoSuchFileException | NumberFormatException e) {
            last = runtime.random().nextInt(Integer.MAX_VALUE);
        }
        int boot = last == Integer.MAX_VALUE ? 1 : last + 1;
        StableFile.replace(file, Integer.toString(boot).getBytes(StandardCharsets.US_ASCII));
        return boot;
    }

    /** Whether this process runs as root, and may therefore change the owner of a new file to its creator. */
    boolean isRootProcess() throws IOException {
        // the owner of a file that this process has just written is the user that it runs as
        return Integer.valueOf(0)
                .equals(Files.getAttribute(folder.resolve("boot"), "unix:uid", LinkOption.NOFOLLOW_LINKS));
    }
}
