package io.verbena.itests.model;

import io.verbena.nfs.RemoteFile;
import java.io.IOException;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/** Opens and closes doors. */
final class Opening {
    private static final int MODE = 0644;
    /** The most open doors: each may keep buffers, and files without a name exist as long as their doors. */
    private static final int MOST_DOORS = 48;

    private final Run run;
    private final Sharing sharing;

    Opening(Run run, Sharing sharing) {
        this.run = run;
        this.sharing = sharing;
    }

    /** Returns an open door that matches, or opens one; null where such a door could not be opened. */
    Door find(Predicate<Door> which) throws Exception {
        List<Door> open = run.doors(which);
        if (!open.isEmpty() && !run.oneIn(15)) {
            return run.any(open);
        }
        Door door = open(run.side(), run.usedName());
        for (int i = 0; i < 20 && (door == null || !which.test(door)); i++) {
            door = open(run.side(), run.usedName());
        }
        return door != null && which.test(door) ? door : null;
    }

    private Door.Modes modes() {
        boolean append = run.plan.takes(Kind.APPEND) && run.oneIn(6);
        boolean read = !append && !run.oneIn(7);
        boolean write = append || !read || !run.oneIn(7);
        return new Door.Modes(read, write, append, write && run.oneIn(10));
    }

    /** Opens a file in a random way, and creates it if necessary; null where that is not possible. */
    Door open(Side side, String name) throws Exception {
        DoorKind kind = run.any(List.copyOf(run.plan.doors()));
        ModelFile file = run.names.get(name);
        Door.Modes modes = modes();
        if (kind == DoorKind.NIO_ASYNC && modes.append()) {
            return null; // refused, as FileSystemContractTest describes
        }
        if (file != null) {
            makeRoom(side, file);
            if (kind == DoorKind.CHANNEL && run.oneIn(2)) {
                List<Door> roots = run.doors(
                        door -> door.kind() == DoorKind.FILE && door.file() == file && door.mount() == side.number());
                if (!roots.isEmpty()) {
                    return channel((RemoteDoor) run.any(roots));
                }
            }
        }
        Set<StandardOpenOption> options = options(modes);
        boolean truncates = file != null
                && modes.write()
                && !modes.append()
                && run.plan.takes(Kind.TRUNCATE)
                && run.oneIn(12)
                && sharing.makeKnown(side.number(), file);
        if (truncates) {
            options.add(StandardOpenOption.TRUNCATE_EXISTING);
        }
        if (file == null) {
            options.addAll(Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE));
        }
        Door.Modes got = file == null ? new Door.Modes(modes.read(), true, modes.append(), modes.sync()) : modes;
        return open(side, name, kind, got, options);
    }

    private static Set<StandardOpenOption> options(Door.Modes modes) {
        Set<StandardOpenOption> options = EnumSet.noneOf(StandardOpenOption.class);
        if (modes.read()) {
            options.add(StandardOpenOption.READ);
        }
        if (modes.write()) {
            options.add(StandardOpenOption.WRITE);
        }
        if (modes.append()) {
            options.add(StandardOpenOption.APPEND);
        }
        if (modes.sync()) {
            options.add(StandardOpenOption.SYNC);
        }
        return options;
    }

    private Door open(Side side, String name, DoorKind kind, Door.Modes modes, Set<StandardOpenOption> options)
            throws IOException {
        int number = run.number();
        ModelFile old = run.names.get(name);
        ModelFile file = old == null ? new ModelFile(number) : old;
        run.note(side + ": open " + name + " (" + file + ") as " + kind + "-" + number + " " + options);
        Door root =
                switch (kind) {
                    case FILE, CHANNEL -> {
                        RemoteFile remote = side.mount().open(side.remote(name), options, MODE);
                        yield new RemoteDoor(side, number, file, modes, remote);
                    }
                    case NIO -> new NioDoor(side, number, file, modes, FileChannel.open(side.path(name), options));
                    case NIO_ASYNC ->
                        new NioAsyncDoor(
                                side,
                                number,
                                file,
                                modes,
                                AsynchronousFileChannel.open(side.path(name), options, null));
                };
        if (old == null) {
            file.links = 1;
            run.names.put(name, file);
        }
        if (options.contains(StandardOpenOption.TRUNCATE_EXISTING)) {
            file.truncate(side.number(), 0);
        }
        file.seen(side.number());
        add(root);
        return kind == DoorKind.CHANNEL ? channel((RemoteDoor) root) : root;
    }

    private Door channel(RemoteDoor remote) {
        ChannelDoor channel = new ChannelDoor(run.number(), remote);
        run.note("it is " + channel + ", of " + remote);
        add(channel);
        return channel;
    }

    private void add(Door door) {
        run.doors.add(door);
        door.file().doors.add(door);
    }

    /** Closes doors if there are too many in total. */
    void makeRoom() throws Exception {
        while (run.doors.size() > MOST_DOORS) {
            close(run.any(run.doors));
        }
    }

    /** Closes a door if there are too many of one file. */
    private void makeRoom(Side side, ModelFile file) throws Exception {
        List<Door> open = run.doors(door -> door.file() == file
                && door.mount() == side.number()
                && run.plan.doors().contains(door.kind()));
        if (open.size() >= run.plan.doorsPerFile()) {
            close(run.any(open));
        }
    }

    /** Creates a file exclusively, or checks that it exists. */
    void createNew(Side side, String name) throws IOException {
        Door.Modes modes = new Door.Modes(true, true, false, false);
        Set<StandardOpenOption> options = options(modes);
        options.add(StandardOpenOption.CREATE_NEW);
        DoorKind kind = run.any(List.copyOf(run.plan.doors()));
        if (!run.names.containsKey(name)) {
            Door unused = open(side, name, kind, modes, options);
            return;
        }
        run.note(side + ": create exclusively " + name + ", which exists");
        try {
            switch (kind) {
                case FILE, CHANNEL ->
                    side.mount().open(side.remote(name), options, MODE).close();
                case NIO, NIO_ASYNC ->
                    FileChannel.open(side.path(name), options).close();
            }
        } catch (FileAlreadyExistsException e) {
            return;
        }
        throw new AssertionError(name + " was created exclusively, and has existed before");
    }

    /** Closes a door; a RemoteFile with its channels, or under them. */
    void close(Door door) throws Exception {
        List<Door> channels = run.channelsOf(door);
        for (Door each : List.copyOf(channels)) {
            if (run.oneIn(2)) {
                close(each);
            }
        }
        run.note("close " + door);
        ModelFile file = door.file();
        for (PendingCall call : List.copyOf(door.pending)) {
            if (call.isRead() || door.kind() == DoorKind.NIO_ASYNC) {
                call.await(); // operations under way may fail at a close
            }
        }
        door.close();
        for (PendingCall call : List.copyOf(door.pending)) {
            call.await();
        }
        List<Door> gone = new ArrayList<>(run.channelsOf(door));
        gone.add(door);
        run.doors.removeAll(gone);
        file.doors.removeAll(gone);
        if (door.root() == door) {
            file.locks.removeIf(held -> held.root() == door);
            file.synced(door);
        } else if (run.channelsOf(door.root()).isEmpty()) {
            file.synced(door.root()); // other channels may have further changes
        }
    }
}
