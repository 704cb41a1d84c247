package io.verbena.itests.badpath;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.itests.model.Side;
import io.verbena.nfs.DirectoryEntry;
import io.verbena.nfs.FileAttributes;
import io.verbena.nfs.Mount;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Random operations in a directory of their own. Most of them fail if they are executed twice: the created name exists,
 * or the removed or renamed name does not exist. Each result and the expected content are checked.
 */
final class RandomWork {
    private static final int MOST_FILES = 12;
    private static final int MOST_OCTETS = 120_000;

    private final Mount mount;
    private final List<WorkDoor> doors;
    private final String directory;
    private final Random random;
    private final Map<String, byte[]> files = new TreeMap<>();
    /** The names that the present operation changes. */
    private final Set<String> touched = new HashSet<>();
    /** Names of which an operation has failed. */
    private final Set<String> unknown = new HashSet<>();

    private int names;

    /** Works by the blocking calls of a mount, in a new directory. */
    RandomWork(Mount mount, String directory, long seed) throws IOException {
        this(mount, List.of(new MountDoor(mount)), directory, seed);
        mount.createDirectory(directory, 0755);
    }

    /** Works by all doors of a mount, in a directory that is there and empty. */
    RandomWork(Side side, String directory, long seed) {
        this(
                side.mount(),
                List.of(
                        new MountDoor(side.mount()),
                        new NioWorkDoor(side.fileSystem()),
                        new AsyncMountDoor(side.mount())),
                directory,
                seed);
    }

    private RandomWork(Mount mount, List<WorkDoor> doors, String directory, long seed) {
        this.mount = mount;
        this.doors = doors;
        this.directory = directory;
        this.random = new Random(seed);
    }

    private WorkDoor door() {
        return doors.get(random.nextInt(doors.size()));
    }

    private String path(String name) {
        touched.add(name);
        return directory + "/" + name;
    }

    private String newName() {
        return "n" + names++;
    }

    private String anyName() {
        List<String> all = new ArrayList<>(files.keySet());
        return all.get(random.nextInt(all.size()));
    }

    /**
     * As {@link #step} on a soft mount: names whose operation fails have any content, or none, from then on, and are
     * not used again.
     */
    void softStep(SoftCalls calls) {
        touched.clear();
        if (!calls.make("names", this::step)) {
            files.keySet().removeAll(touched);
            unknown.addAll(touched);
        }
    }

    /** Executes one operation. */
    void step() throws IOException {
        int kind = files.isEmpty() ? 0 : random.nextInt(files.size() >= MOST_FILES ? 4 : 8);
        switch (kind) {
            case 0, 5 -> create();
            case 1, 2 -> remove(anyName());
            case 3 -> rename(anyName(), random.nextBoolean() || files.size() < 2 ? newName() : anyName());
            case 4 -> link(anyName(), newName());
            case 6 -> comeAndGo();
            default -> append(anyName());
        }
        touched.clear(); // a read changes nothing
        if (!files.isEmpty() && random.nextInt(4) == 0) {
            read(anyName());
        }
    }

    private byte[] octets(int most) {
        byte[] content = new byte[random.nextInt(4) == 0 ? random.nextInt(most) : random.nextInt(5000)];
        random.nextBytes(content);
        return content;
    }

    private void create() throws IOException {
        String name = newName();
        byte[] content = octets(MOST_OCTETS);
        door().create(path(name), content);
        files.put(name, content);
    }

    private void remove(String name) throws IOException {
        door().remove(path(name));
        files.remove(name);
        try {
            FileAttributes found = mount.attributes(path(name), false);
            throw new AssertionError(path(name) + " is still there: " + found);
        } catch (NoSuchFileException e) {
            return; // as it has to be
        }
    }

    private void rename(String from, String to) throws IOException {
        String target = from.equals(to) ? newName() : to;
        door().rename(path(from), path(target));
        files.put(target, files.remove(from));
    }

    private void link(String from, String to) throws IOException {
        door().link(path(to), path(from));
        door().remove(path(from));
        files.put(to, files.remove(from));
    }

    private void comeAndGo() throws IOException {
        String name = newName();
        door().createDirectory(path(name));
        door().createSymbolicLink(path(name) + "/link", "where/to");
        assertThat(door().readLink(path(name) + "/link")).isEqualTo("where/to");
        door().remove(path(name) + "/link");
        door().remove(path(name));
    }

    private void append(String name) throws IOException {
        byte[] old = files.get(name);
        byte[] more = octets(MOST_OCTETS / 4);
        door().append(path(name), more, old.length);
        files.put(
                name,
                ByteBuffer.allocate(old.length + more.length).put(old).put(more).array());
    }

    private void read(String name) throws IOException {
        byte[] expected = files.get(name);
        byte[] found = door().read(directory + "/" + name, expected.length);
        assertThat(found.length).as("octets of %s", path(name)).isEqualTo(expected.length);
        assertThat(Arrays.mismatch(found, expected))
                .as("the first octet of %s that differs, of %s", path(name), expected.length)
                .isEqualTo(-1);
    }

    /** Checks by the mount that the directory has exactly the expected content. Returns the content by name. */
    Map<String, byte[]> check() throws IOException {
        checkNames(mount.list(directory).stream().map(DirectoryEntry::name).toList());
        for (String name : files.keySet()) {
            read(name);
        }
        return files;
    }

    /** As {@link #check}, without the mount. */
    void check(Path stored) throws IOException {
        try (Stream<Path> found = Files.list(stored)) {
            checkNames(found.map(file -> file.getFileName().toString()).toList());
        }
        for (Map.Entry<String, byte[]> file : files.entrySet()) {
            assertThat(stored.resolve(file.getKey())).hasBinaryContent(file.getValue());
        }
    }

    private void checkNames(List<String> found) {
        assertThat(found)
                .filteredOn(name -> !name.startsWith(".") && !unknown.contains(name))
                .containsExactlyInAnyOrderElementsOf(files.keySet());
    }
}
