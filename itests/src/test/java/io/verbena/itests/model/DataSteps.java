package io.verbena.itests.model;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.NonReadableChannelException;
import java.nio.channels.NonWritableChannelException;
import java.util.List;
import java.util.concurrent.Future;

/** Steps that read and write through doors. Each step returns false where it was not possible. */
final class DataSteps {
    private static final int MOST_PENDING = 8;

    private final Run run;
    private final Sharing sharing;

    DataSteps(Run run, Sharing sharing) {
        this.run = run;
        this.sharing = sharing;
    }

    private ByteBuffer room(int length) {
        return run.oneIn(2) ? ByteBuffer.allocate(length) : ByteBuffer.allocateDirect(length);
    }

    private ByteBuffer filled(byte[] octets) {
        return room(octets.length).put(octets).flip();
    }

    private int readLength(int position) {
        return run.length(Math.max(1, ModelFile.MOST_OCTETS - position));
    }

    boolean read(Door door) throws IOException {
        int at = door.position;
        int length = readLength(at);
        if (at + length > ModelFile.MOST_OCTETS) {
            return false;
        }
        Expected expected = Expected.of(door.file(), door.mount(), at, length);
        String what = "read " + length + " at its position " + at + " by " + door;
        run.note(what);
        ByteBuffer buffer = room(length);
        int read = door.read(buffer);
        expected.check(what, read, buffer, door.readsShort());
        if (expected.isCertain()) {
            door.position += Math.max(0, read);
        } else {
            door.position = Math.min(at + length, ModelFile.MOST_OCTETS);
            door.position(door.position);
        }
        return true;
    }

    boolean write(Door door) throws IOException {
        ModelFile file = door.file();
        if (door.modes().append()) {
            return append(door);
        }
        int at = door.position;
        int length = run.length(ModelFile.MOST_OCTETS - at);
        if (length <= 0 || !sharing.makeWritable(door.mount(), file, at, length)) {
            return false;
        }
        byte[] octets = run.octets(length);
        run.note("write " + length + " at its position " + at + " by " + door);
        write(door, octets);
        file.write(door, at, octets);
        door.position += length;
        return true;
    }

    private void write(Door door, byte[] octets) throws IOException {
        ByteBuffer buffer = filled(octets);
        int written = door.write(buffer);
        if (written != octets.length || buffer.hasRemaining()) {
            throw new AssertionError("write has written " + written + " of " + octets.length);
        }
    }

    /** Appends through a channel, or asynchronously. */
    boolean appendAny(Door door) throws Exception {
        return door.appendsAsync() ? appendAsync(door) : append(door);
    }

    private boolean appendAsync(Door door) throws Exception {
        awaitRoom(door);
        ModelFile file = door.file();
        int at = file.size();
        int length = run.length(Math.min(5000, ModelFile.MOST_OCTETS - at));
        if (length <= 0 || !sharing.makeKnown(door.mount(), file)) {
            return false;
        }
        byte[] octets = run.octets(length);
        String what = "asynchronous append " + run.number() + " of " + length + " at " + at + " by " + door;
        run.note(what);
        Future<?> future = door.appendAsync(filled(octets)).thenAccept(position -> {
            if (position != at) {
                throw new AssertionError("it was appended at " + position);
            }
        });
        door.pending.add(new PendingCall(door, what, future));
        file.write(door, at, octets);
        return true;
    }

    private boolean append(Door door) throws IOException {
        ModelFile file = door.file();
        int length = run.length(Math.min(5000, ModelFile.MOST_OCTETS - file.size()));
        if (length <= 0 || !sharing.makeKnown(door.mount(), file)) {
            return false;
        }
        byte[] octets = run.octets(length);
        run.note("append " + length + " at " + file.size() + " by " + door);
        write(door, octets);
        file.write(door, file.size(), octets);
        door.position = file.size();
        return true;
    }

    boolean position(Door door) throws IOException {
        if (door.modes().append()) {
            return false;
        }
        if (door.position() != door.position) {
            throw new AssertionError(door + " is at " + door.position() + " instead of " + door.position);
        }
        door.position = run.position(door.file());
        run.note("position " + door.position + " of " + door);
        door.position(door.position);
        return true;
    }

    boolean readAt(Door door) throws IOException {
        int at = run.position(door.file());
        int length = readLength(at);
        Expected expected = Expected.of(door.file(), door.mount(), at, length);
        String what = "read " + length + " at " + at + " by " + door;
        run.note(what);
        ByteBuffer buffer = room(length);
        expected.check(what, door.read(buffer, at), buffer, door.readsShort());
        return true;
    }

    boolean writeAt(Door door) throws IOException {
        int at = run.position(door.file());
        int length = run.length(ModelFile.MOST_OCTETS - at);
        if (!sharing.makeWritable(door.mount(), door.file(), at, length)) {
            return false;
        }
        byte[] octets = run.octets(length);
        run.note("write " + length + " at " + at + " by " + door);
        door.write(filled(octets), at);
        door.file().write(door, at, octets);
        return true;
    }

    boolean readAsync(Door door) throws Exception {
        awaitRoom(door);
        int at = run.position(door.file());
        int length = readLength(at);
        String what = "asynchronous read " + run.number() + " of " + length + " at " + at + " by " + door;
        run.note(what);
        ByteBuffer buffer = room(length);
        Expected expected = Expected.of(door.file(), door.mount(), at, length);
        PendingCall call = new PendingCall(door, what, door.readAsync(buffer, at), expected, buffer);
        door.pending.add(call);
        door.file().begun(call);
        return true;
    }

    boolean writeAsync(Door door) throws Exception {
        awaitRoom(door);
        int at = run.position(door.file());
        int length = run.length(ModelFile.MOST_OCTETS - at);
        if (!sharing.makeWritable(door.mount(), door.file(), at, length)) {
            return false;
        }
        byte[] octets = run.octets(length);
        String what = "asynchronous write " + run.number() + " of " + length + " at " + at + " by " + door;
        run.note(what);
        Future<?> future = door.writeAsync(filled(octets), at);
        door.pending.add(new PendingCall(door, what, future));
        door.file().write(door, at, octets);
        return true;
    }

    private void awaitRoom(Door door) throws Exception {
        if (door.pending.size() >= MOST_PENDING) {
            run.any(door.pending).await();
        }
    }

    boolean await(Door door) throws Exception {
        boolean all = run.oneIn(3);
        run.note("await " + (all ? "all of " : "one of ") + door);
        for (PendingCall call : all ? List.copyOf(door.pending) : List.of(run.any(door.pending))) {
            call.await();
        }
        return true;
    }

    boolean truncate(Door door) throws IOException {
        ModelFile file = door.file();
        if (!sharing.makeKnown(door.mount(), file)) {
            return false;
        }
        int size = run.oneIn(4)
                ? Math.min(ModelFile.MOST_OCTETS, file.size() + run.below(3000))
                : run.below(file.size() + 1);
        run.note("truncate to " + size + " from " + file.size() + " by " + door);
        door.truncate(size);
        if (size < file.size() || door.truncatesLonger()) {
            file.truncate(door.mount(), size);
        }
        if (door.hasPosition()) {
            door.position = Math.min(door.position, size);
        }
        return true;
    }

    boolean size(Door door) throws IOException {
        run.note("size by " + door);
        long size = door.size();
        if (!door.file().mayHaveSize(door.mount(), size)) {
            throw new AssertionError("the size by " + door + " is " + size + " instead of "
                    + door.file().size());
        }
        return true;
    }

    /** Tries an operation that the door was not opened for. */
    boolean refused(Door door) throws IOException {
        run.note("what " + door + " was not opened for");
        ByteBuffer octet = ByteBuffer.allocate(1);
        try {
            if (door.modes().write()) {
                int unused = door.hasPosition() ? door.read(octet) : door.read(octet, 0);
            } else if (door.hasPosition()) {
                int unused = door.write(octet);
            } else {
                door.write(octet, 0);
            }
        } catch (NonReadableChannelException | NonWritableChannelException e) {
            if (e instanceof NonWritableChannelException == door.modes().write()) {
                throw new AssertionError(door + " refuses with the other's exception", e);
            }
            return true;
        }
        throw new AssertionError(door + " has done what it was not opened for");
    }
}
