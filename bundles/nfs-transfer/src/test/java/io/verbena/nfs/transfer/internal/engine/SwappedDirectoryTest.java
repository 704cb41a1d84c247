package io.verbena.nfs.transfer.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nfs.transfer.CopyOptions;
import io.verbena.nfs.transfer.CopyOptions.Flag;
import io.verbena.nfs.transfer.Location;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests copies while another user's thread swaps a directory for a link, thousands of times. */
@Timeout(240)
class SwappedDirectoryTest extends TransferCase {
    private static final int SWAPS = 3_000;
    private static final int FILES = 8;

    /** An action of the other user, which may come too late. */
    @FunctionalInterface
    private interface Action {
        void run() throws IOException;
    }

    /** Swaps a directory for a link, and back. What the copy has put in the place meanwhile is moved away. */
    private static final class Swapper implements AutoCloseable {
        private final AtomicInteger swaps = new AtomicInteger();
        private final Thread thread;
        private volatile boolean ends;

        Swapper(Path directory, Path aside, Path target) {
            thread = new Thread(() -> {
                int moved = 0;
                while (!ends) {
                    attempt(() -> Files.move(directory, aside));
                    if (attempt(() -> Files.createSymbolicLink(directory, target))) {
                        swaps.incrementAndGet();
                    }
                    if (Files.isSymbolicLink(directory)) {
                        attempt(() -> Files.delete(directory));
                    }
                    Path away = aside.resolveSibling("away" + moved++);
                    attempt(() -> Files.move(directory, away));
                    attempt(() -> Files.move(aside, directory));
                }
            });
            thread.start();
        }

        private static boolean attempt(Action action) {
            try {
                action.run();
                return true;
            } catch (IOException e) {
                return false;
            }
        }

        boolean goesOn() {
            return swaps.get() < SWAPS;
        }

        @Override
        public void close() throws IOException {
            ends = true;
            try {
                thread.join();
            } catch (InterruptedException e) {
                throw new InterruptedIOException();
            }
        }
    }

    private static Map<String, String> snapshot(Path top) throws IOException {
        Map<String, String> found = new TreeMap<>();
        try (Stream<Path> files = Files.walk(top)) {
            for (Path file : files.toList()) {
                String content = Files.isRegularFile(file) ? Files.readString(file, StandardCharsets.ISO_8859_1) : "";
                Map<String, Object> unix = Files.readAttributes(file, "unix:mode,uid,ctime,lastModifiedTime");
                found.put(file.toString(), new TreeMap<>(unix) + content);
            }
        }
        return found;
    }

    private Path canary(Path top) throws IOException {
        Path canary = Files.createDirectories(top);
        for (int i = 0; i < FILES; i++) {
            Files.writeString(canary.resolve("f" + i), "secret");
            Files.setPosixFilePermissions(canary.resolve("f" + i), PosixFilePermissions.fromString("rw-------"));
        }
        Files.writeString(canary.resolve("more"), "secret");
        return canary;
    }

    private void copy(Location from, Location to, CopyOptions options) throws Exception {
        try {
            host.engine().copy(from, to, options).run();
        } catch (IOException e) {
            assertThat(e).as("what a swap may lead to").isNotNull();
        }
    }

    @Test
    void shouldChangeNothingOutsideTheTarget() throws Exception {
        Path canary = canary(local.resolve("outside"));
        for (int i = 0; i < FILES; i++) {
            write(served.resolve("from/sub/f" + i), 100 + i);
        }
        write(served.resolve("from/sub/deep/x"), 10);
        Files.createDirectories(local.resolve("to/sub"));
        Map<String, String> before = snapshot(canary);
        CopyOptions mirror = CopyOptions.of(Flag.RECURSIVE, Flag.SYNC, Flag.FORCE, Flag.CHECKSUM);

        try (Swapper swapper = new Swapper(local.resolve("to/sub"), local.resolve("aside"), canary)) {
            while (swapper.goesOn()) {
                copy(there("/from").contents(), here("to"), TREE.with(Flag.FORCE, true));
                copy(there("/from"), here("to"), mirror.with(Flag.PRESERVE, true));
                copy(there("/from"), here("to"), mirror.with(Flag.DELETE, true));
            }
        }

        assertThat(snapshot(canary)).isEqualTo(before);
    }

    @Test
    void shouldReadNothingOutsideTheSource() throws Exception {
        Path secret = canary(local.resolve("outside"));
        for (int i = 0; i < FILES; i++) {
            write(local.resolve("tree/sub/f" + i), 6); // as long as the secret
        }
        int copies = 0;

        try (Swapper swapper = new Swapper(local.resolve("tree/sub"), local.resolve("aside"), secret)) {
            while (swapper.goesOn()) {
                copies++;
                String copy = "/copy" + copies % 20;
                copy(here("tree"), there(copy), TREE.with(Flag.FORCE, true));
            }
        }

        try (Stream<Path> files = Files.walk(served)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                assertThat(file.getFileName().toString()).isNotEqualTo("more");
                assertThat(Files.readAllBytes(file))
                        .as(file.toString())
                        .isNotEqualTo("secret".getBytes(StandardCharsets.US_ASCII));
            }
        }
    }

    private AtomicInteger swapBefore(String operation, String path, Path directory) {
        AtomicInteger swaps = new AtomicInteger();
        mount.hook((asked, of, position) -> {
            if (asked.equals(operation) && of.equals(path) && swaps.getAndIncrement() == 0) {
                Files.move(directory, served.resolve("away"));
                Files.createSymbolicLink(directory, Path.of("../others"));
            }
        });
        return swaps;
    }

    @Test
    void shouldKeepNoFileOfOutsideTheRemoteTarget() throws Exception {
        Path others = canary(served.resolve("others"));
        write(local.resolve("from/sub/new"), 10);
        Path sub = Files.createDirectories(served.resolve("to/sub"));
        Files.createFile(sub.resolve("more"));
        AtomicInteger swaps = swapBefore("createLink", "/to/sub/more", sub);

        copy(
                here("from").contents(),
                there("/to"),
                TREE.with(Flag.SYNC, true).with(Flag.DELETE, true).withBackup(there("/kept")));

        assertThat(swaps).hasPositiveValue();
        assertThat(others.resolve("more")).hasContent("secret");
        assertThat(served.resolve("kept/sub/more")).doesNotExist();
    }

    /** A symbolic link gets no further name, and is renamed to where it is kept. */
    @Test
    void shouldKeepNothingOfOutsideTheRemoteTarget() throws Exception {
        Path others = Files.createDirectories(served.resolve("others"));
        Files.createSymbolicLink(others.resolve("link"), Path.of("nowhere"));
        write(local.resolve("from/sub/new"), 10);
        Path sub = Files.createDirectories(served.resolve("to/sub"));
        Files.createSymbolicLink(sub.resolve("link"), Path.of("nowhere"));
        AtomicInteger swaps = swapBefore("rename", "/to/sub/link", sub);

        copy(
                here("from").contents(),
                there("/to"),
                TREE.with(Flag.SYNC, true).with(Flag.DELETE, true).withBackup(there("/kept")));

        assertThat(swaps).hasPositiveValue();
        assertThat(others.resolve("link")).isSymbolicLink();
    }

    /** Counts the requests of a copy, and swaps the directory for a link before one of them. */
    private List<String> swapBefore(int number, Path directory) {
        List<String> requests = Collections.synchronizedList(new ArrayList<>());
        mount.hook((asked, of, position) -> {
            requests.add(asked + " " + of);
            if (requests.size() == number && Files.isDirectory(directory)) {
                Files.move(directory, served.resolve("away"));
                Files.createSymbolicLink(directory, Path.of("../others"));
            }
        });
        return requests;
    }

    private static void writeTree(Path top) throws IOException {
        write(top.resolve("sub/small"), 100);
        write(top.resolve("sub/large"), 100_000);
        write(top.resolve("sub/deep/x"), 10);
        Files.createSymbolicLink(top.resolve("sub/link"), Path.of("small"));
        Files.createLink(top.resolve("sub/same"), top.resolve("sub/small"));
    }

    private static void clear(Path top) throws IOException {
        if (Files.exists(top, LinkOption.NOFOLLOW_LINKS)) {
            try (Stream<Path> files = Files.walk(top)) {
                for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(file);
                }
            }
        }
    }

    static Stream<CopyOptions> options() {
        CopyOptions mirror = CopyOptions.of(Flag.RECURSIVE, Flag.SYNC, Flag.FORCE, Flag.HARD_LINKS);
        return Stream.of(
                TREE.with(Flag.FORCE, true),
                mirror.with(Flag.PRESERVE, true).with(Flag.CHECKSUM, true),
                mirror.with(Flag.DELETE, true).with(Flag.VERIFY, true),
                TREE.with(Flag.RESUME, true));
    }

    /** Before each request of a copy in turn, another client swaps the directory for a link. */
    @ParameterizedTest
    @MethodSource("options")
    void shouldChangeNothingOutsideTheRemoteTarget(CopyOptions options) throws Exception {
        Path others = canary(served.resolve("others"));
        write(others.resolve("small"), 7);
        write(others.resolve("deep/x"), 7);
        writeTree(local.resolve("from"));
        Map<String, String> before = snapshot(others);

        for (boolean isThere : new boolean[] {false, true}) {
            boolean goesOn = true;
            for (int number = 1; goesOn; number++) {
                mount.hook((operation, path, position) -> {});
                clear(served.resolve("to"));
                clear(served.resolve("away"));
                Files.createDirectory(served.resolve("to"));
                if (isThere) {
                    write(served.resolve("to/sub/small"), 5);
                    write(served.resolve("to/sub/large"), 5);
                    write(served.resolve("to/sub/gone"), 5);
                }
                List<String> requests = swapBefore(number, served.resolve("to/sub"));
                copy(here("from").contents(), there("/to"), options.withJobs(1));
                assertThat(snapshot(others))
                        .as("swapped before request " + number)
                        .isEqualTo(before);
                goesOn = number <= requests.size();
            }
        }
    }

    @ParameterizedTest
    @MethodSource("options")
    void shouldReadNothingOutsideTheRemoteSource(CopyOptions options) throws Exception {
        Path others = canary(served.resolve("others"));
        writeTree(served.resolve("from"));
        for (String name : List.of("small", "large", "same", "deep/x")) {
            Path secret = others.resolve(name);
            int size = (int) Files.size(served.resolve("from/sub").resolve(name));
            write(secret, size); // by its size and time it is the same file
            Files.writeString(secret, "secret".repeat(20_000).substring(0, size));
            Files.setLastModifiedTime(secret, FileTime.from(MODIFIED));
        }
        boolean goesOn = true;
        for (int number = 1; goesOn; number++) {
            mount.hook((operation, path, position) -> {});
            clear(served.resolve("from"));
            clear(served.resolve("away"));
            clear(local.resolve("to"));
            writeTree(served.resolve("from"));
            List<String> requests = swapBefore(number, served.resolve("from/sub"));
            copy(there("/from"), here("to"), options.withJobs(1));
            if (Files.exists(local.resolve("to"))) {
                try (Stream<Path> files = Files.walk(local.resolve("to"))) {
                    for (Path file : files.filter(Files::isRegularFile).toList()) {
                        assertThat(Files.readString(file, StandardCharsets.ISO_8859_1))
                                .as(file + ", swapped before request " + number + " of " + requests)
                                .doesNotContain("secret");
                    }
                }
            }
            goesOn = number <= requests.size();
        }
    }

    /** At the last moment before each request of a removal, another client swaps the directory for a link. */
    @ParameterizedTest
    @CsvSource({
        "listing,/to/sub/deep",
        "attributes,/to/sub/deep",
        "remove,/to/sub/f0",
        "remove,/to/sub/deep/f0",
    })
    void shouldRemoveNothingOutsideTheRemoteTarget(String operation, String path) throws Exception {
        Path others = canary(served.resolve("others"));
        Path deep = canary(others.resolve("deep"));
        write(local.resolve("from/sub/new"), 10);
        Path sub = canary(served.resolve("to/sub"));
        Files.delete(sub.resolve("more"));
        canary(sub.resolve("deep"));
        AtomicInteger swaps = swapBefore(operation, path, sub);
        mount.listWithoutType("deep");

        copy(here("from").contents(), there("/to"), TREE.with(Flag.SYNC, true).with(Flag.DELETE, true));

        assertThat(swaps).hasPositiveValue();
        for (Path directory : List.of(others, deep)) {
            assertThat(names(directory)).contains("f0", "f" + (FILES - 1), "more");
        }
    }
}
