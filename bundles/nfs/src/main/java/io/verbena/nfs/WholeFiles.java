package io.verbena.nfs;

import io.verbena.nfs.FileAttributes.FileKey;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** Whole files by the other methods of a mount, for mounts that have no requests of their own for them. Blocks. */
final class WholeFiles {
    private static final int PRIVATE = 0_600;

    private WholeFiles() {}

    interface Opening {
        RemoteFile open() throws IOException;
    }

    static CompletableFuture<FileRead> read(Opening opening, ByteBuffer destination) {
        try (RemoteFile file = opening.open()) {
            FileAttributes before = file.attributes();
            int octets = destination.hasRemaining() ? Math.max(0, file.read(destination, 0)) : 0;
            return CompletableFuture.completedFuture(new FileRead(octets, before, file.attributes()));
        } catch (IOException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    static CompletableFuture<FileAttributes> create(
            Mount mount, String path, FileKey directory, ByteBuffer content, AttributeChanges attributes) {
        Set<StandardOpenOption> options = Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        try {
            try (RemoteFile file = mount.open(path, directory, options, PRIVATE)) {
                if (content.hasRemaining()) {
                    file.write(content, 0);
                }
                return CompletableFuture.completedFuture(file.setAttributes(attributes));
            }
        } catch (IOException e) {
            return CompletableFuture.failedFuture(e);
        }
    }
}
