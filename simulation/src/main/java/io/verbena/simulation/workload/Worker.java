package io.verbena.simulation.workload;

import io.verbena.nfs.AttributeChanges;
import io.verbena.nfs.DirectoryEntry;
import io.verbena.nfs.Mount;
import io.verbena.nfs.RemoteFile;
import io.verbena.nfs.UndecidedException;
import io.verbena.nfs.transfer.CopyOptions;
import io.verbena.nfs.transfer.CopySummary;
import io.verbena.simulation.world.ClientHost;
import io.verbena.simulation.world.Judge;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;

/** A worker with a directory of its own, through all doors of a mount. */
final class Worker {
    private static final String SETTLING = "settling-";
    /** What a copy that has failed may leave, and no other one. */
    private static final String PART = ".verbena-";

    private static final int MOST_OCTETS = 200_000;
    /** In about so many parts a file is read at most: changes between them are answered one by one. */
    private static final int MOST_LOOKS = 200;

    private static final long MOST_REST = 1_000_000_000;
    private static final Set<StandardOpenOption> NEW =
            Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE);
    private static final Set<StandardOpenOption> CHANGE = Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE);
    private static final Set<StandardOpenOption> READ = Set.of(StandardOpenOption.READ);

    private final ClientHost client;
    private final String name;
    private final SplittableRandom random;
    private final Judge judge;
    private final SharedFiles shared;
    private final SharedLog.Kept log = new SharedLog.Kept();
    private final Attempts attempts;
    private final Model model = new Model();
    private int settlings;
    private boolean hasFailedToCopy;
    /** The file that the present operation is about. */
    private String present = "";

    Worker(ClientHost client, String name, SplittableRandom random, Judge judge, SharedFiles shared) {
        this.client = client;
        this.name = name;
        this.random = random;
        this.judge = judge;
        this.shared = shared;
        attempts = new Attempts(client, name, judge);
    }

    private Mount mount() {
        return client.mount();
    }

    boolean isKilled() {
        return client.process().isDead();
    }

    String directory() {
        return "/" + name;
    }

    Model model() {
        return model;
    }

    /** The content of the files that no operation is about now. */
    Map<String, byte[]> settled() {
        Map<String, byte[]> files = new TreeMap<>(model.files());
        files.remove(present);
        return files;
    }

    private String path(String file) {
        return directory() + "/" + file;
    }

    private Path nioPath(String file) {
        return client.fileSystem().getPath(path(file));
    }

    /** Does so many operations. */
    void run(int operations) {
        boolean made = attempt("make " + directory(), () -> mount().createDirectory(directory(), 0755), () -> {
            settle(directory(), true, "/" + name + "-", () -> mount().createDirectory(directory(), 0755));
        });
        for (int i = 0; made && i < operations; i++) {
            operation();
        }
    }

    private void operation() {
        if (judge.isSharing() && !client.isSoft() && random.nextBoolean()) {
            share();
            return;
        }
        int kind = random.nextInt(22);
        if (model.isEmpty() || kind < 4) {
            create();
            return;
        }
        String file = model.any(random);
        present = file;
        switch (kind) {
            case 4, 5, 6 -> read(file);
            case 7, 8, 9 -> change(file);
            case 10 -> append(file);
            case 11, 12 -> rename(file);
            case 13, 14 -> remove(file);
            case 15 -> list();
            case 16 -> truncate(file);
            case 17 -> walk(file);
            case 18 -> copy(file);
            default -> {
                if (client.isSoft()) { // what a soft mount has given up may come to the server after a later step
                    list();
                } else {
                    count();
                }
            }
        }
    }

    /** Uses a file that all workers share. */
    private void share() {
        switch (random.nextInt(3)) {
            case 0 -> {
                boolean unused =
                        attempt("visit cells", () -> shared.cells().visit(client, name, judge, random), () -> {});
            }
            case 1 -> shared.notices().visit(client, judge, random, attempts, () -> makeCertain("/" + name + "-"));
            default -> shared.log().append(client, log, this::await, judge, random, attempts);
        }
    }

    private boolean attempt(String what, Attempts.Step step, Attempts.Step settle) {
        return attempts.run(what, step, settle);
    }

    private boolean exists(String path) throws IOException {
        try {
            return mount().attributes(path, false) != null;
        } catch (NoSuchFileException e) {
            return false;
        }
    }

    /**
     * Brings a name into a directory or out of it, and the directory to stable storage: what a killed server has done
     * in it may be lost with the power of the host, until then.
     */
    private void settle(String path, boolean isThere, String prefix, Attempts.Step change) throws IOException {
        do {
            if (exists(path) != isThere) {
                change.run();
            }
            makeCertain(prefix);
        } while (exists(path) != isThere);
    }

    /** Brings a directory to stable storage, by another change in it. */
    private void makeCertain(String prefix) throws IOException {
        while (true) {
            String other = prefix + settlings++;
            try {
                mount().createDirectory(other, 0755);
                mount().remove(other);
                return;
            } catch (UndecidedException e) {
                judge.tell(name + ": " + other + " is undecided, too");
            }
        }
    }

    private byte[] content(int most) {
        byte[] octets =
                new byte[random.nextInt(10) == 0 ? 0 : 1 + random.nextInt(random.nextInt(3) == 0 ? most : 3000)];
        random.nextBytes(octets);
        return octets;
    }

    private void create() {
        String file = model.newName();
        byte[] octets = content(MOST_OCTETS);
        int door = random.nextInt(3);
        Attempts.Step step =
                switch (door) {
                    case 0 ->
                        () -> {
                            try (RemoteFile made = mount().open(path(file), NEW, 0644)) {
                                write(made, octets);
                            }
                        };
                    case 1 ->
                        attempts.nio(() -> Files.write(
                                nioPath(file), octets, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE));
                    default ->
                        () -> await(
                                mount().createFileAsync(path(file), ByteBuffer.wrap(octets), AttributeChanges.NONE));
                };
        String[] doors = {"open", "nio", "async"};
        if (attempt(
                "create " + file + " of " + octets.length + " by " + doors[door], step, () -> replace(file, octets))) {
            model.files().put(file, octets);
        }
    }

    /** Writes a file whose creation is in doubt. */
    private void replace(String file, byte[] octets) throws IOException {
        Set<StandardOpenOption> options =
                Set.of(StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE);
        try (RemoteFile made = mount().open(path(file), options, 0644)) {
            write(made, octets);
        }
    }

    private void write(RemoteFile file, byte[] octets) throws IOException {
        int at = 0;
        while (at < octets.length) {
            int count = Math.min(octets.length - at, 1 + random.nextInt(MOST_OCTETS));
            file.write(ByteBuffer.wrap(octets, at, count), at);
            at += count;
        }
    }

    private <T> T await(CompletableFuture<T> future) throws IOException {
        try {
            return client.process().runtime().await(future, Long.MAX_VALUE);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof IOException known) {
                throw known;
            }
            throw new IOException(e.getCause());
        } catch (InterruptedException | TimeoutException e) {
            throw new IOException(e);
        }
    }

    private void read(String file) {
        byte[] expected = model.files().get(file);
        int door = random.nextInt(3);
        boolean unused = attempt(
                "read " + file + " by door " + door,
                () -> {
                    byte[] found =
                            switch (door) {
                                case 0 -> readWhole(mount(), path(file), expected.length);
                                case 1 -> Files.readAllBytes(nioPath(file));
                                default -> readAsync(file, expected.length);
                            };
                    compare(file, expected, found);
                },
                () -> compare(file, expected, readWhole(mount(), path(file), expected.length)));
    }

    private byte[] readAsync(String file, int length) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(length + 10);
        await(mount().readFileAsync(path(file), buffer));
        return Arrays.copyOf(buffer.array(), buffer.position());
    }

    static byte[] readWhole(Mount mount, String path, int length) throws IOException {
        try (RemoteFile file = mount.open(path, READ, 0)) {
            ByteBuffer buffer = ByteBuffer.allocate(length + 10);
            file.read(buffer, 0);
            return Arrays.copyOf(buffer.array(), buffer.position());
        }
    }

    private void compare(String file, byte[] expected, byte[] found) throws IOException {
        int at = Arrays.mismatch(expected, found);
        if (at >= 0) {
            String difference = file + " has " + found.length + " octets in place of " + expected.length
                    + ", and differs from " + at + " on";
            if (attempts.mayLose()) {
                throw new Attempts.OtherContentException(difference);
            }
            judge.fail(name + ": " + difference);
        }
    }

    private void change(String file) {
        byte[] octets = model.files().get(file).clone();
        boolean done = attempt(
                "change " + file,
                () -> {
                    try (RemoteFile open = mount().open(path(file), CHANGE, 0)) {
                        changeParts(file, open);
                    }
                },
                () -> replace(file, model.files().get(file)));
        if (!done) {
            model.files().put(file, octets);
        }
    }

    private void changeParts(String file, RemoteFile open) throws IOException {
        int parts = 1 + random.nextInt(4);
        for (int i = 0; i < parts; i++) {
            byte[] old = model.files().get(file);
            int at = random.nextInt(old.length + 1);
            byte[] part = content(20_000);
            byte[] changed = Arrays.copyOf(old, Math.max(old.length, at + part.length));
            System.arraycopy(part, 0, changed, at, part.length);
            List<CompletableFuture<Void>> writes = new ArrayList<>();
            writes.add(open.writeAsync(ByteBuffer.wrap(part), at));
            if (part.length > 0 && random.nextInt(3) == 0) { // over the one under way
                byte[] over = new byte[1 + random.nextInt(part.length)];
                random.nextBytes(over);
                int target = at + random.nextInt(part.length - over.length + 1);
                System.arraycopy(over, 0, changed, target, over.length);
                writes.add(open.writeAsync(ByteBuffer.wrap(over), target));
            }
            for (CompletableFuture<Void> write : writes) {
                await(write);
            }
            model.files().put(file, changed);
            if (random.nextInt(3) == 0) {
                rest(random.nextLong(MOST_REST));
            }
            if (random.nextInt(3) == 0) {
                open.sync();
            }
            if (random.nextInt(3) == 0) {
                ByteBuffer buffer = ByteBuffer.allocate(changed.length + 10);
                open.read(buffer, 0);
                compare(file, changed, Arrays.copyOf(buffer.array(), buffer.position()));
            }
        }
    }

    /** Leaves time for a fault, where the server has data that is not on stable storage. */
    private void rest(long nanos) throws IOException {
        try {
            client.process().runtime().sleep(nanos);
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    /** Reads a file from its start to its end, and changes it meanwhile. */
    private void walk(String file) {
        byte[] octets = model.files().get(file).clone();
        boolean done = attempt(
                "walk " + file,
                () -> {
                    try (RemoteFile open = mount().open(path(file), CHANGE, 0);
                            SeekableByteChannel channel = open.channel()) {
                        walk(file, open, channel);
                    }
                },
                () -> replace(file, model.files().get(file)));
        if (!done) {
            model.files().put(file, octets);
        }
    }

    private void walk(String file, RemoteFile open, SeekableByteChannel channel) throws IOException {
        byte[] present = model.files().get(file);
        int chosen = 1 + random.nextInt(20_000);
        ByteBuffer buffer = ByteBuffer.allocate(Math.max(chosen, present.length / MOST_LOOKS));
        int at = 0;
        while (channel.read(buffer.clear()) > 0) {
            compare(file, Arrays.copyOfRange(present, at, at + buffer.position()), octetsOf(buffer));
            at += buffer.position();
            if (random.nextInt(3) == 0 && at < present.length) {
                byte[] part = new byte[1 + random.nextInt(Math.min(3000, present.length - at))];
                random.nextBytes(part);
                int target = at + random.nextInt(present.length - at - part.length + 1);
                present = present.clone();
                System.arraycopy(part, 0, present, target, part.length);
                open.write(ByteBuffer.wrap(part), target);
                model.files().put(file, present);
            }
        }
        if (at != present.length) {
            judge.fail(name + ": " + file + " ends at " + at + " in place of " + present.length);
        }
    }

    private static byte[] octetsOf(ByteBuffer buffer) {
        byte[] octets = new byte[buffer.position()];
        buffer.get(0, octets);
        return octets;
    }

    private void append(String file) {
        byte[] old = model.files().get(file);
        byte[] more = content(10_000);
        byte[] all = Arrays.copyOf(old, old.length + more.length);
        System.arraycopy(more, 0, all, old.length, more.length);
        if (attempt(
                "append " + more.length + " to " + file,
                attempts.nio(() -> Files.write(nioPath(file), more, StandardOpenOption.APPEND)),
                () -> replace(file, all))) {
            model.files().put(file, all);
        }
    }

    private void truncate(String file) {
        byte[] old = model.files().get(file);
        int size = random.nextInt(old.length + 1000);
        if (attempt(
                "cut " + file + " at " + size,
                () -> {
                    try (RemoteFile open = mount().open(path(file), CHANGE, 0)) {
                        open.truncate(size);
                    }
                },
                () -> replace(file, Arrays.copyOf(old, size)))) {
            model.files().put(file, Arrays.copyOf(old, size));
        }
    }

    /** Copies a file by the engine, which makes the copy under another name first. */
    private void copy(String file) {
        byte[] octets = model.files().get(file);
        String other = model.newName();
        // the usual number of jobs is that of the processors of the host that the simulation runs on
        CopyOptions options = (random.nextBoolean() ? CopyOptions.of() : CopyOptions.of(CopyOptions.Flag.VERIFY))
                .withJobs(1 + random.nextInt(8));
        if (attempt(
                "copy " + file + " to " + other,
                () -> {
                    try {
                        CopySummary unused = client.engine()
                                .copy(client.location(path(file)), client.location(path(other)), options)
                                .run()
                                .orThrow();
                    } catch (InterruptedException e) {
                        throw new IOException(e);
                    }
                },
                () -> {
                    hasFailedToCopy = true;
                    replace(other, octets);
                })) {
            model.files().put(other, octets);
        }
    }

    private void rename(String file) {
        String other = model.newName();
        Attempts.Step step = random.nextBoolean()
                ? () -> mount().rename(path(file), path(other))
                : attempts.nio(() -> Files.move(nioPath(file), nioPath(other), StandardCopyOption.ATOMIC_MOVE));
        if (attempt("rename " + file + " to " + other, step, () -> {
            settle(path(file), false, path(SETTLING), () -> mount().rename(path(file), path(other)));
            mount().attributes(path(other), false);
        })) {
            model.files().put(other, model.files().remove(file));
        }
    }

    private void remove(String file) {
        Attempts.Step step = random.nextBoolean()
                ? () -> mount().remove(path(file))
                : attempts.nio(() -> Files.delete(nioPath(file)));
        if (attempt("remove " + file, step, () -> {
            settle(path(file), false, path(SETTLING), () -> mount().remove(path(file)));
        })) {
            model.files().remove(file);
        }
    }

    private void list() {
        boolean unused = attempt("list", () -> compareNames(mount()), () -> compareNames(mount()));
    }

    void compareNames(Mount seen) throws IOException {
        TreeSet<String> found = new TreeSet<>();
        for (DirectoryEntry each : seen.list(directory())) {
            boolean isPart = hasFailedToCopy && each.name().startsWith(PART);
            if (!each.name().startsWith(SETTLING) && !isPart) {
                found.add(each.name());
            }
        }
        if (!found.equals(model.files().keySet())) {
            judge.fail(name + ": there are " + found + " in place of "
                    + model.files().keySet());
        }
    }

    private void count() {
        boolean unused = attempt("count", () -> shared.counter().increment(client, name, judge), () -> {});
    }
}
