package io.verbena.nfs41.server.internal.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/**
 * A process of a local user who swaps a directory for a link to another one, over and over, until an octet comes by its
 * standard input, and some times at least. Then it prints how often.
 */
public final class Swapper {
    private Swapper() {}

    /**
     * @param arguments the directory, the link, a name for the directory while the link has its own, and how often at
     *     least
     */
    public static void main(String[] arguments) throws IOException {
        Path directory = Path.of(arguments[0]);
        Path link = Path.of(arguments[1]);
        Path aside = Path.of(arguments[2]);
        int swaps = 0;
        while (System.in.available() == 0 || swaps < Integer.parseInt(arguments[3])) {
            Files.move(directory, aside, StandardCopyOption.ATOMIC_MOVE);
            Files.move(link, directory, StandardCopyOption.ATOMIC_MOVE);
            Files.move(directory, link, StandardCopyOption.ATOMIC_MOVE);
            Files.move(aside, directory, StandardCopyOption.ATOMIC_MOVE);
            swaps++;
        }
        System.out.println(swaps);
    }
}
