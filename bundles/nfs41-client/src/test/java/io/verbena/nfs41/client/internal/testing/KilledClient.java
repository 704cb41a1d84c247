package io.verbena.nfs41.client.internal.testing;

import io.verbena.nfs.RemoteFile;
import io.verbena.nfs41.client.internal.mount.NfsMount;
import io.verbena.runtime.SystemRuntime;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Set;

/** The program of {@code KilledClientTest}: a client that locks a file, prints its owner, and runs until killed. */
public final class KilledClient {
    private KilledClient() {}

    /**
     * @param arguments the server's port, and {@code wait} or not
     */
    public static void main(String[] arguments) throws IOException {
        try (Stack stack = new Stack();
                NfsMount mount = NfsMount.create(
                        "m",
                        "127.0.0.1",
                        "/",
                        "port=" + arguments[0],
                        stack.transport(),
                        stack.memory(),
                        new SystemRuntime())) {
            mount.connect(Duration.ofSeconds(30));
            RemoteFile file = mount.open(
                    "/file",
                    Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.CREATE),
                    0600);
            file.write(ByteBuffer.wrap(new byte[] {1}), 0);
            boolean locked = file.tryLock(0, 10, false).isPresent();
            System.out.println(mount.owner() + (locked ? " locked" : " not locked"));
            while (System.in.read() >= 0) {
                // lives on
            }
        }
    }
}
