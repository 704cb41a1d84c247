package io.verbena.standalone;

import static io.verbena.standalone.ContractCase.example;
import static java.nio.file.StandardOpenOption.APPEND;
import static java.nio.file.StandardWatchEventKinds.ENTRY_CREATE;
import static java.nio.file.StandardWatchEventKinds.ENTRY_DELETE;
import static java.nio.file.StandardWatchEventKinds.ENTRY_MODIFY;
import static java.nio.file.StandardWatchEventKinds.OVERFLOW;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Cases of watched directories. */
final class WatchCases {
    private static final long BOUND_NANOS = TimeUnit.SECONDS.toNanos(30);

    private WatchCases() {}

    private interface Watched {
        Object by(WatchService watch, Path directory) throws Exception;
    }

    private static ContractCase watch(String name, Watched work) {
        return example(name, d -> {
            try (WatchService watch = d.getFileSystem().newWatchService()) {
                return work.by(watch, d);
            }
        });
    }

    static Stream<ContractCase> watches() {
        return Stream.of(
                watch("a file that is made and written, by its changes alone", (w, d) -> {
                    d.register(w, ENTRY_MODIFY);
                    Files.writeString(d.resolve("f"), "x");
                    return events(w, 1);
                }),
                watch("a file that is made and written", (w, d) -> {
                    d.register(w, ENTRY_CREATE, ENTRY_MODIFY);
                    Files.writeString(d.resolve("f"), "x");
                    return events(w, 2);
                }),
                watch("an empty file and a directory", (w, d) -> {
                    d.register(w, ENTRY_CREATE, ENTRY_MODIFY);
                    Files.createFile(d.resolve("f"));
                    Files.createDirectory(d.resolve("e"));
                    Files.createFile(d.resolve("last"));
                    return events(w, 3);
                }),
                watch("a file that is renamed", (w, d) -> {
                    Files.writeString(d.resolve("f"), "x");
                    d.register(w, ENTRY_CREATE, ENTRY_DELETE, ENTRY_MODIFY);
                    Files.move(d.resolve("f"), d.resolve("g"));
                    Files.createFile(d.resolve("last"));
                    return events(w, 3);
                }),
                watch("a file that is written", (w, d) -> {
                    Files.writeString(d.resolve("f"), "x");
                    d.register(w, ENTRY_MODIFY);
                    Files.writeString(d.resolve("f"), "y", APPEND);
                    return events(w, 1);
                }),
                watch("other kinds from now on", (w, d) -> {
                    Files.writeString(d.resolve("f"), "x");
                    WatchKey key = d.register(w, ENTRY_CREATE);
                    boolean same = key.equals(d.register(w, ENTRY_DELETE));
                    Files.createFile(d.resolve("g"));
                    Files.delete(d.resolve("f"));
                    return same + "" + events(w, 1);
                }),
                watch("a key that is cancelled", (w, d) -> {
                    WatchKey key = d.register(w, ENTRY_CREATE);
                    key.cancel();
                    return List.of(key.isValid(), key.reset(), key.pollEvents(), w.poll() == null);
                }),
                watch("a key that is reset, and was not told of", (w, d) -> {
                    WatchKey key = d.register(w, ENTRY_CREATE);
                    return List.of(key.reset(), key.isValid(), w.poll() == null);
                }),
                watch("a directory that is removed", (w, d) -> {
                    Path directory = Files.createDirectory(d.resolve("e"));
                    WatchKey key = directory.register(w, ENTRY_CREATE);
                    Files.delete(directory);
                    WatchKey told = w.poll(BOUND_NANOS, TimeUnit.NANOSECONDS);
                    return List.of(told.equals(key), told.pollEvents(), told.reset(), told.isValid());
                }),
                watch("no directory", (w, d) -> Files.createFile(d.resolve("f")).register(w, ENTRY_CREATE)),
                watch("nothing there", (w, d) -> d.resolve("none").register(w, ENTRY_CREATE)),
                watch("no kind", (w, d) -> d.register(w)),
                watch("overflow alone", (w, d) -> d.register(w, OVERFLOW)),
                watch("null", (w, d) -> d.register(w, ENTRY_CREATE, null)),
                watch("by nobody", (w, d) -> d.register(null, ENTRY_CREATE)),
                watch("when it is closed", (w, d) -> {
                    w.close();
                    return d.register(w, ENTRY_CREATE);
                }));
    }

    /** Collects events until there are {@code count} different ones. */
    private static Set<String> events(WatchService watch, int count) throws InterruptedException {
        Set<String> seen = new TreeSet<>();
        long deadline = System.nanoTime() + BOUND_NANOS;
        for (long left = BOUND_NANOS; seen.size() < count && left > 0; left = deadline - System.nanoTime()) {
            WatchKey key = watch.poll(left, TimeUnit.NANOSECONDS);
            if (key != null) {
                for (WatchEvent<?> event : key.pollEvents()) {
                    seen.add(event.kind() + " " + event.context());
                }
                key.reset();
            }
        }
        return seen;
    }
}
