package io.verbena.itests.linuxpeer;

import io.verbena.itests.VerbenaStack;
import io.verbena.nfs.RemoteFile;
import io.verbena.nfs41.client.internal.mount.NfsMount;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.StandardOpenOption;
import java.util.Set;

/**
 * The program of {@link KnfsdKilledClientIT}: a client that locks a file, reports that, and runs until it is killed.
 */
final class LockingClient {
    private LockingClient() {}

    /**
     * @param arguments the server's address and port, and the file
     */
    public static void main(String[] arguments) throws IOException {
        InetSocketAddress server = new InetSocketAddress(arguments[0], Integer.parseInt(arguments[1]));
        try (VerbenaStack stack = new VerbenaStack();
                NfsMount mount = stack.mount(server, "/", "")) {
            RemoteFile file = mount.open(
                    arguments[2],
                    Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.CREATE),
                    0666);
            file.write(ByteBuffer.wrap(new byte[] {1}), 0);
            System.out.println(file.tryLock(0, 10, false).isPresent() ? "locked" : "denied");
            while (System.in.read() >= 0) {
                // runs until it is killed
            }
        }
    }
}
