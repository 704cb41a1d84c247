package io.verbena.itests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.nfs.DirectoryEntry;
import io.verbena.nfs.Mount;
import io.verbena.nfs.RemoteFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;

/**
 * Random operations in a directory of their own. Most of them fail if they are executed twice: the created name exists,
 * or the removed or renamed name does not exist. Each result and the expected content are checked.
 */
public final class RandomWork {
    private static final int MOST_FILES = 12;
    private static final int MOST_OCTETS = 120_000;

    private final Mount mount;
    private final String directory;
    private final Random random;
    private final Map<String, byte[]> files = new TreeMap<>();
    private int names;

    public RandomWork(Mount mount, String directory, long seed) throws IOException {
        this.mount = mount;
        this.directory = directory;
        this.random = new Random(seed);
        mount.createDirectory(directory, 0755);
    }

    private String path(String name) {
        return directory + "/" + name;
    }

    private String newName() {
        return "n" + names++;
    }

    private String anyName() {
        List<String> all = new ArrayList<>(files.keySet());
        return all.get(random.nextInt(all.size()));
    }

    /** Executes one operation. */
    public void step() throws IOException {
        int kind = files.isEmpty() ? 0 : random.nextInt(files.size() >= MOST_FILES ? 4 : 8);
        switch (kind) {
            case 0, 5 -> create();
            case 1, 2 -> remove(anyName());
            case 3 -> rename(anyName(), random.nextBoolean() || files.size() < 2 ? newName() : anyName());
            case 4 -> link(anyName(), newName());
            case 6 -> comeAndGo();
            default -> append(anyName());
        }
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
        Set<StandardOpenOption> options = Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        try (RemoteFile file = mount.open(path(name), options, 0644)) {
            file.write(ByteBuffer.wrap(content), 0);
        }
        files.put(name, content);
    }

    private void remove(String name) throws IOException {
        mount.remove(path(name));
        files.remove(name);
        assertThatThrownBy(() -> mount.attributes(path(name), false)).isInstanceOf(NoSuchFileException.class);
    }

    private void rename(String from, String to) throws IOException {
        String target = from.equals(to) ? newName() : to;
        mount.rename(path(from), path(target));
        files.put(target, files.remove(from));
    }

    private void link(String from, String to) throws IOException {
        mount.createLink(path(to), path(from));
        mount.remove(path(from));
        files.put(to, files.remove(from));
    }

    private void comeAndGo() throws IOException {
        String name = newName();
        mount.createDirectory(path(name), 0700);
        mount.createSymbolicLink(path(name) + "/link", "where/to");
        assertThat(mount.readLink(path(name) + "/link")).isEqualTo("where/to");
        mount.remove(path(name) + "/link");
        mount.remove(path(name));
    }

    private void append(String name) throws IOException {
        byte[] more = octets(MOST_OCTETS / 4);
        try (RemoteFile file = mount.open(path(name), Set.of(StandardOpenOption.WRITE), 0644)) {
            file.write(ByteBuffer.wrap(more), files.get(name).length);
        }
        ByteBuffer all = ByteBuffer.allocate(files.get(name).length + more.length);
        files.put(name, all.put(files.get(name)).put(more).array());
    }

    private void read(String name) throws IOException {
        ByteBuffer content = ByteBuffer.allocate(files.get(name).length + 1);
        try (RemoteFile file = mount.open(path(name), Set.of(StandardOpenOption.READ), 0644)) {
            int read = 0;
            while (read >= 0) {
                read = file.read(content, content.position());
            }
        }
        byte[] expected = files.get(name);
        content.flip();
        assertThat(content.remaining()).as("octets of %s", path(name)).isEqualTo(expected.length);
        assertThat(content.mismatch(ByteBuffer.wrap(expected)))
                .as("the first octet of %s that differs, of %s", path(name), expected.length)
                .isEqualTo(-1);
    }

    /** Checks that the directory has exactly the expected content. Returns the content by name. */
    public Map<String, byte[]> check() throws IOException {
        assertThat(mount.list(directory))
                .extracting(DirectoryEntry::name)
                .filteredOn(name -> !name.startsWith("."))
                .containsExactlyInAnyOrderElementsOf(files.keySet());
        for (String name : files.keySet()) {
            read(name);
        }
        return files;
    }
}
