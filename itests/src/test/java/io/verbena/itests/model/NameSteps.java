package io.verbena.itests.model;

import io.verbena.nfs.DirectoryEntry;
import io.verbena.nfs.RemoteFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Steps on names and whole files, by methods of the mount and of java.nio. */
final class NameSteps {
    private final Run run;
    private final Sharing sharing;

    NameSteps(Run run, Sharing sharing) {
        this.run = run;
        this.sharing = sharing;
    }

    /** A call of a mount. */
    @FunctionalInterface
    interface Call {
        void run() throws IOException;
    }

    static void expectMissing(String name, Call call) throws IOException {
        try {
            call.run();
        } catch (NoSuchFileException e) {
            return;
        }
        throw new AssertionError(name + " is not there, but that was not told");
    }

    /** Whether the last name of a file may be removed while doors are open. */
    private boolean mayLose(Side side, ModelFile file) {
        boolean ofOther = file.doors.stream().anyMatch(door -> door.mount() != side.number());
        return file.links > 1
                || file.doors.isEmpty()
                || (run.plan.takes(Kind.REMOVE_OPEN) && (!ofOther || run.pair.preservesUnlinked()));
    }

    private void lose(String name) {
        ModelFile file = run.names.remove(name);
        file.links--;
    }

    boolean rename(Side side, String from, String to) throws IOException {
        ModelFile file = run.names.get(from);
        ModelFile replaced = run.names.get(to);
        if (file != null && (file == replaced || (replaced != null && !mayLose(side, replaced)))) {
            return false;
        }
        boolean nio = run.oneIn(2);
        Call call = nio
                ? () -> Files.move(side.path(from), side.path(to), StandardCopyOption.REPLACE_EXISTING)
                : () -> side.mount().rename(side.remote(from), side.remote(to));
        run.note(side + ": rename " + from + " (" + file + ") to " + to + " (" + replaced + ")"
                + (nio ? " by nio" : ""));
        if (file == null) {
            expectMissing(from, call);
            return true;
        }
        call.run();
        if (replaced != null) {
            lose(to);
        }
        run.names.remove(from);
        run.names.put(to, file);
        return true;
    }

    boolean remove(Side side, String name, boolean open) throws IOException {
        ModelFile file = run.names.get(name);
        if (file != null && (!mayLose(side, file) || (open && file.doors.isEmpty()))) {
            return false;
        }
        boolean nio = run.oneIn(2);
        Call call =
                nio ? () -> Files.delete(side.path(name)) : () -> side.mount().remove(side.remote(name));
        run.note(side + ": remove " + name + " (" + file + ")" + (nio ? " by nio" : ""));
        if (file == null) {
            expectMissing(name, call);
            return true;
        }
        call.run();
        lose(name);
        return true;
    }

    boolean link(Side side, String name, String existing) throws IOException {
        ModelFile file = run.names.get(existing);
        if (file == null) {
            return false;
        }
        run.note(side + ": link " + name + " to " + existing + " (" + file + ")");
        boolean isNew = !run.names.containsKey(name);
        try {
            side.mount().createLink(side.remote(name), side.remote(existing));
        } catch (FileAlreadyExistsException e) {
            if (!isNew) {
                return true;
            }
            throw e;
        }
        if (!isNew) {
            throw new AssertionError(name + " has existed before it was linked");
        }
        run.names.put(name, file);
        file.links++;
        return true;
    }

    /** Creates the directories that files are renamed between. */
    void makeDirectories() throws IOException {
        for (String each : run.directories) {
            Side side = run.side();
            side.mount().createDirectory(side.remote(each), 0755);
        }
    }

    boolean renameDirectory(Side side) throws IOException {
        String from = run.any(run.directories);
        String to = (from.startsWith("d") ? "e" : "d") + from.substring(1);
        boolean nio = run.oneIn(2);
        run.note(side + ": rename the directory " + from + " to " + to + (nio ? " by nio" : ""));
        if (nio) {
            Path unused = Files.move(side.path(from), side.path(to));
        } else {
            side.mount().rename(side.remote(from), side.remote(to));
        }
        run.directories.replaceAll(name -> name.equals(from) ? to : name);
        Map<String, ModelFile> moved = new TreeMap<>();
        run.names.forEach((name, file) ->
                moved.put(name.startsWith(from + "/") ? to + name.substring(from.length()) : name, file));
        run.names.clear();
        run.names.putAll(moved);
        return true;
    }

    boolean list(Side side) throws IOException {
        boolean nio = run.oneIn(2);
        String directory = run.oneIn(2) ? "" : run.any(run.directories);
        run.note(side + ": list " + directory + (nio ? " by nio" : ""));
        Set<String> found;
        if (nio) {
            try (Stream<Path> paths = Files.list(side.path(directory))) {
                found = paths.map(path -> path.getFileName().toString()).collect(Collectors.toCollection(TreeSet::new));
            }
        } else {
            List<DirectoryEntry> entries = side.mount().list(side.remote(directory));
            found = entries.stream().map(DirectoryEntry::name).collect(Collectors.toCollection(TreeSet::new));
        }
        if (!run.pair.preservesUnlinked()) {
            found.removeIf(name -> name.startsWith(".nfs")); // removed files that are still open
        }
        Set<String> expected = namesIn(directory);
        if (!found.equals(expected)) {
            throw new AssertionError("the directory has " + found + " instead of " + expected);
        }
        return true;
    }

    private Set<String> namesIn(String directory) {
        Set<String> names = new TreeSet<>(directory.isEmpty() ? run.directories : List.of());
        for (String name : run.names.keySet()) {
            int slash = name.indexOf('/');
            if (name.substring(0, Math.max(0, slash)).equals(directory)) {
                names.add(name.substring(slash + 1));
            }
        }
        return names;
    }

    boolean readWhole(Side side, String name) throws IOException {
        ModelFile file = run.names.get(name);
        if (file == null) {
            run.note(side + ": read " + name + ", which is not there");
            expectMissing(name, () -> Files.readAllBytes(side.path(name)));
            return true;
        }
        boolean nio = run.oneIn(2);
        String what = side + ": read all of " + name + " (" + file + ")" + (nio ? " by nio" : "");
        run.note(what);
        file.seen(side.number());
        Expected expected = Expected.of(file, side.number(), 0, ModelFile.MOST_OCTETS);
        ByteBuffer found = ByteBuffer.allocate(ModelFile.MOST_OCTETS);
        if (nio) {
            found.put(Files.readAllBytes(side.path(name)));
        } else {
            try (RemoteFile remote = side.mount().open(side.remote(name), Set.of(StandardOpenOption.READ), 0)) {
                int unused = remote.read(found, 0);
            }
        }
        expected.check(what, found.position() == 0 ? -1 : found.position(), found, false);
        return true;
    }

    /** Writes a whole file with {@link Files#write}, which truncates an existing file. */
    boolean writeWhole(Side side, String name) throws IOException {
        ModelFile old = run.names.get(name);
        if (old != null && !sharing.makeKnown(side.number(), old)) {
            return false;
        }
        ModelFile file = old == null ? new ModelFile(run.number()) : old;
        byte[] octets = run.octets(run.length(ModelFile.MOST_OCTETS));
        run.note(side + ": write all " + octets.length + " of " + name + " (" + file + ") by nio");
        Path unused = Files.write(side.path(name), octets);
        if (old == null) {
            file.links = 1;
            run.names.put(name, file);
        }
        file.truncate(side.number(), 0);
        file.writeSynced(side.number(), 0, octets);
        return true;
    }
}
