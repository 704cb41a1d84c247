package io.verbena.itests.linuxpeer;

import io.verbena.itests.linuxpeer.ConfirmedTree.Thing;
import io.verbena.itests.linuxpeer.ConfirmedTree.ThingType;
import io.verbena.nfs.AttributeChanges;
import io.verbena.nfs.Mount;
import io.verbena.nfs.RemoteFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * Operations of one client thread in a directory of its own, and the required content after the server has lost power:
 * the effect of all confirmed operations. The operation under way may have been executed or not; some octets of a write
 * may be missing; a new object may lack its mode. No other thread changes the directory.
 */
final class ConfirmedWork {
    private static final int MODE = 0640;
    private static final int[] MODES = {0600, 0640, 0644, 0755, 0700};
    private static final int MOST_OCTETS = 100_000; // the most octets of one write
    private static final int MOST_NAMES = 60;

    /** The kinds of operation. */
    enum Kind {
        CREATE,
        MKDIR,
        SYMLINK,
        LINK,
        RENAME,
        REMOVE,
        CHMOD,
        WRITE,
        TRUNCATE
    }

    /** One operation on some paths, and its effect. */
    private record Operation(int number, Kind kind, List<String> paths, Consumer<ConfirmedTree> effect) {
        @Override
        public String toString() {
            return number + " " + kind + " " + String.join(" ", paths);
        }
    }

    private interface Call {
        void run() throws IOException;
    }

    /**
     * A path that differs from the state after its last confirmed operation.
     *
     * @param operation the last operation on the path
     * @param kind the kind of the operation, null for an unexpected object
     * @param text the difference, for people to read
     */
    record Loss(String operation, Kind kind, String text) {}

    private final Mount mount;
    private final String directory;
    private final Random random;
    private final BooleanSupplier namesOnly;
    private final Runnable onConfirmed;
    private final Map<String, byte[]> contents = new HashMap<>(); // by the digest in the tree
    private final Map<String, Operation> latest = new HashMap<>();
    private ConfirmedTree tree = new ConfirmedTree();
    private Operation underWay;
    private int begun;

    /**
     * @param namesOnly whether only names are changed now, since a sync of data brings names to stable storage as well
     * @param onConfirmed called after each confirmed operation
     */
    ConfirmedWork(Mount mount, String directory, long seed, BooleanSupplier namesOnly, Runnable onConfirmed) {
        this.mount = mount;
        this.directory = directory;
        this.random = new Random(seed);
        this.namesOnly = namesOnly;
        this.onConfirmed = onConfirmed;
    }

    /** Works until an operation fails because the server is gone. */
    void run() throws IOException {
        makeDirectory(directory);
        while (true) {
            step();
        }
    }

    private void step() throws IOException {
        boolean full = tree.paths(ThingType.values()).size() > MOST_NAMES;
        int choice = random.nextInt(namesOnly.getAsBoolean() ? 80 : 110);
        if (choice < 22 && !full) {
            create(newPath());
        } else if (choice < 34 && !full) {
            makeDirectory(newPath());
        } else if (choice < 42 && !full) {
            makeSymbolicLink(newPath());
        } else if (choice < 50 && !full) {
            makeLink();
        } else if (choice < 66) {
            rename();
        } else if (choice < (full ? 80 : 76)) {
            remove();
        } else if (choice < 80) {
            changeMode();
        } else if (choice < 104) {
            write();
        } else {
            truncate();
        }
    }

    private void confirm(Kind kind, Call call, Consumer<ConfirmedTree> effect, String... paths) throws IOException {
        underWay = new Operation(++begun, kind, List.of(paths), effect);
        call.run();
        ConfirmedTree after = tree.copy();
        effect.accept(after);
        Set<String> touched = after.differing(tree);
        touched.addAll(List.of(paths));
        for (String path : touched) {
            latest.put(path, underWay);
        }
        tree = after;
        contents.keySet().retainAll(tree.contents());
        underWay = null;
        onConfirmed.run();
    }

    private String newPath() {
        return any(tree.paths(ThingType.DIRECTORY)) + "/n" + begun;
    }

    private String any(List<String> paths) {
        return paths.get(random.nextInt(paths.size()));
    }

    private void create(String path) throws IOException {
        String digest = remember(new byte[0]);
        confirm(
                Kind.CREATE,
                () -> open(path, StandardOpenOption.CREATE_NEW).close(),
                after -> after.make(path, new Thing(ThingType.FILE, MODE, digest)),
                path);
    }

    private RemoteFile open(String path, StandardOpenOption... options) throws IOException {
        Set<StandardOpenOption> all = new HashSet<>(List.of(options));
        all.add(StandardOpenOption.WRITE);
        return mount.open(path, all, MODE);
    }

    private void makeDirectory(String path) throws IOException {
        confirm(
                Kind.MKDIR,
                () -> mount.createDirectory(path, 0755),
                after -> after.make(path, new Thing(ThingType.DIRECTORY, 0755, "")),
                path);
    }

    private void makeSymbolicLink(String path) throws IOException {
        String text = "../nowhere/" + begun;
        confirm(
                Kind.SYMLINK,
                () -> mount.createSymbolicLink(path, text),
                after -> after.make(path, new Thing(ThingType.LINK, 0, text)),
                path);
    }

    private void makeLink() throws IOException {
        List<String> files = tree.paths(ThingType.FILE);
        if (!files.isEmpty()) {
            String existing = any(files);
            String path = newPath();
            confirm(Kind.LINK, () -> mount.createLink(path, existing), after -> after.link(path, existing), path);
        }
    }

    /** Renames a file, mostly to a new name, sometimes over an existing file. */
    private void rename() throws IOException {
        List<String> all = new ArrayList<>(tree.paths(ThingType.values()));
        all.remove(directory);
        if (all.isEmpty()) {
            return;
        }
        String from = any(all);
        boolean isDirectory = tree.get(from).type() == ThingType.DIRECTORY;
        List<String> targets = tree.paths(ThingType.FILE, ThingType.LINK);
        boolean over = !isDirectory && !targets.isEmpty() && random.nextInt(4) == 0;
        String to = over ? any(targets) : newPath();
        if (to.startsWith(from + "/") || tree.areOne(from, to)) {
            return; // into itself, or both are names of one file, which a rename does not change
        }
        confirm(Kind.RENAME, () -> mount.rename(from, to), after -> after.rename(from, to), from, to);
    }

    private void remove() throws IOException {
        List<String> all = new ArrayList<>(tree.paths(ThingType.values()));
        all.remove(directory);
        all.removeIf(path -> !tree.below(path).isEmpty());
        if (!all.isEmpty()) {
            String path = any(all);
            confirm(Kind.REMOVE, () -> mount.remove(path), after -> after.remove(path), path);
        }
    }

    private void changeMode() throws IOException {
        List<String> files = tree.paths(ThingType.FILE);
        if (!files.isEmpty()) {
            String path = any(files);
            int mode = MODES[random.nextInt(MODES.length)] | 0200;
            confirm(
                    Kind.CHMOD,
                    () -> mount.setAttributes(path, AttributeChanges.NONE.withMode(mode)),
                    after -> after.change(path, after.get(path).withMode(mode)),
                    path);
        }
    }

    /** Writes octets at a random place of a file and syncs: the COMMIT confirms them. */
    private void write() throws IOException {
        List<String> files = tree.paths(ThingType.FILE);
        if (files.isEmpty()) {
            return;
        }
        String path = any(files);
        byte[] old = contents.get(tree.get(path).content());
        byte[] data = new byte[1 + random.nextInt(MOST_OCTETS)];
        random.nextBytes(data);
        int position = random.nextInt(Math.min(old.length, MOST_OCTETS) + 1);
        byte[] all = Arrays.copyOf(old, Math.max(old.length, position + data.length));
        System.arraycopy(data, 0, all, position, data.length);
        changeContent(Kind.WRITE, path, all, file -> file.write(ByteBuffer.wrap(data), position));
    }

    private void truncate() throws IOException {
        List<String> files = tree.paths(ThingType.FILE);
        if (files.isEmpty()) {
            return;
        }
        String path = any(files);
        byte[] old = contents.get(tree.get(path).content());
        byte[] all = Arrays.copyOf(old, random.nextInt(old.length + 1));
        changeContent(Kind.TRUNCATE, path, all, file -> file.truncate(all.length));
    }

    private interface Change {
        void apply(RemoteFile file) throws IOException;
    }

    private void changeContent(Kind kind, String path, byte[] content, Change change) throws IOException {
        String digest = remember(content);
        confirm(
                kind,
                () -> {
                    try (RemoteFile file = open(path)) {
                        change.apply(file);
                        if (kind == Kind.WRITE) {
                            file.sync();
                        }
                    }
                },
                after -> after.change(path, after.get(path).withContent(digest)),
                path);
    }

    private String remember(byte[] content) {
        String digest = Contents.sha256(content);
        contents.put(digest, content);
        return digest;
    }

    int confirmed() {
        return underWay == null ? begun : begun - 1;
    }

    /**
     * The confirmed operations whose effect is missing.
     *
     * @param all the objects on the disk, by path
     */
    Set<Loss> losses(Map<String, FoundOnDisk> all) {
        Map<String, FoundOnDisk> found = new HashMap<>(all);
        found.keySet().removeIf(path -> !path.equals(directory) && !path.startsWith(directory + "/"));
        Map<String, String> differences = tree.differences(found);
        if (underWay != null && !differences.isEmpty()) {
            Map<String, String> others = withWhatWasUnderWay().differences(found);
            differences = others.size() < differences.size() ? others : differences;
        }
        Set<Loss> losses = new HashSet<>();
        differences.forEach((path, what) -> {
            Operation operation = latest.get(path);
            losses.add(
                    operation == null
                            ? new Loss("none", null, path + " " + what + ", which nobody has asked for")
                            : new Loss(operation.toString(), operation.kind(), operation + ": " + path + " " + what));
        });
        return losses;
    }

    private ConfirmedTree withWhatWasUnderWay() {
        ConfirmedTree other = tree.copy();
        underWay.effect().accept(other);
        String path = underWay.paths().get(0);
        switch (underWay.kind()) {
            // a part of the octets may be there
            case WRITE, TRUNCATE -> other.change(path, other.get(path).withContent(null));
            // the mode is set afterwards
            case CREATE, MKDIR -> other.change(path, other.get(path).withMode(Thing.ANY_MODE));
            default -> {}
        }
        return other;
    }
}
