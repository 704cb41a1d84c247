package io.verbena.itests.model;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * Executes the steps of a {@link Plan} one by one on one thread, and checks the result of each. These rules must hold:
 *
 * <ul>
 * <li>Operations of one mount take effect in the order of the calls, through any door: reads, sizes and attributes
 *     include all earlier calls, also asynchronous WRITEs, and the later of two WRITEs wins. An asynchronous READ may
 *     find the old or the new octets where they change between its call and its end. If the size changes meanwhile, the
 *     READ may end where one of its requests ends.
 * <li>A mount sees writes of the other mount after the other mount has synced them, closed their door, or released an
 *     exclusive lock of the door, and this mount has then opened or locked the file, through any door. Until then,
 *     changed octets and sizes have their current value or any value since then; all other octets are unchanged.
 * <li>Two mounts do not write the same octets before the first one has synced, since the result is undefined. Before a
 *     mount truncates or appends, the other mount syncs, and this mount opens or locks the file.
 * <li>Locks of two mounts exclude each other. A lock that overlaps one of the same mount is refused with an exception.
 *     The release of a lock leaves the octets of all other locks locked. A request for unlocked octets is granted, and
 *     so is a request that waits for a lock that another mount releases.
 * <li>Names and explicitly set modes and times are always the same for both mounts. An explicitly set time of
 *     modification stays until the file is written or truncated; earlier calls of writes do not change it. An open file
 *     can be used even after its last name was removed.
 * <li>Each call has the result or the exception of its contract. Only a channel's read may return fewer octets than
 *     available, but at least one.
 * </ul>
 *
 * <p>Lost connections and replaced transports do not affect these rules.
 */
public final class Driver {
    private static final int AUDIT_EVERY = 40;
    private static final int TRIES = 1000;

    private final Run run;
    private final Sharing sharing;
    private final Opening opening;
    private final DataSteps data;
    private final LockSteps locks;
    private final NameSteps names;
    private final AttributeSteps attributes;
    private final List<Kind> kinds = new ArrayList<>();

    public Driver(Plan plan, MountPair pair) {
        this.run = new Run(plan, pair);
        this.sharing = new Sharing(run);
        this.opening = new Opening(run, sharing);
        this.data = new DataSteps(run, sharing);
        this.locks = new LockSteps(run);
        this.names = new NameSteps(run, sharing);
        this.attributes = new AttributeSteps(run, sharing);
        for (Kind kind : plan.kinds()) {
            for (int i = 0; i < kind.weight(); i++) {
                kinds.add(kind);
            }
        }
    }

    /** Executes all steps, and closes the doors. */
    public void drive() {
        try {
            names.makeDirectories();
            for (int i = 0; i < run.plan.steps(); i++) {
                run.trace.nextStep();
                step();
                opening.makeRoom();
                if (run.oneIn(AUDIT_EVERY)) {
                    sharing.audit();
                }
            }
            sharing.audit();
            while (!run.doors.isEmpty()) {
                opening.close(run.any(run.doors));
            }
            sharing.audit();
        } catch (Exception | AssertionError e) {
            throw new AssertionError(
                    "at step " + run.trace.step() + ": " + e + "\nRepeat it with " + run.plan
                            + "\nThe last steps were:\n" + run.trace,
                    e);
        }
    }

    /** The number of executed steps. */
    int steps() {
        return run.trace.step();
    }

    private void step() throws Exception {
        for (int i = 0; i < TRIES; i++) {
            if (step(run.any(kinds))) {
                return;
            }
        }
        throw new IllegalStateException("none of " + run.plan.kinds() + " can be done");
    }

    private boolean step(Kind kind) throws Exception {
        return switch (kind) {
            case OPEN -> opening.open(run.side(), run.usedName()) != null;
            case CLOSE -> closed();
            case READ -> by(door -> door.hasPosition() && door.modes().read(), data::read);
            case WRITE -> by(door -> door.hasPosition() && door.modes().write(), data::write);
            case POSITION -> by(Door::hasPosition, data::position);
            case READ_AT -> by(door -> door.isPositional() && door.modes().read(), data::readAt);
            case WRITE_AT -> by(door -> door.isPositional() && door.modes().write(), data::writeAt);
            case READ_ASYNC -> by(door -> door.isAsynchronous() && door.modes().read(), data::readAsync);
            case WRITE_ASYNC -> by(door -> door.isAsynchronous() && door.modes().write(), data::writeAsync);
            case AWAIT -> byOpen(door -> !door.pending.isEmpty(), data::await);
            case APPEND -> by(Driver::isAppending, data::appendAny);
            case TRUNCATE -> by(door -> door.modes().write(), data::truncate);
            case SIZE -> by(door -> true, data::size);
            case SYNC -> byOpen(door -> door.root() == door, this::sync);
            case REFUSED -> byOpen(Driver::isRefusing, data::refused);
            case LOCK -> by(Door::isLockable, locks::lock);
            case LOCK_OVERLAP -> byOpen(Door::isLockable, locks::lockOverlap);
            case UNLOCK -> byOpen(door -> !door.file().locks.isEmpty(), door -> locks.unlockAny(door.file()));
            case LOCK_WAIT -> byOpen(LockSteps::mayWait, locks::lockWaiting);
            case TEST_LOCK -> byOpen(door -> door.kind() == DoorKind.FILE, locks::test);
            case SHARE -> shared();
            case WHOLE_READ -> names.readWhole(run.side(), run.usedName());
            case WHOLE_WRITE -> names.writeWhole(run.side(), run.name());
            case CREATE_NEW -> created();
            case RENAME -> names.rename(run.side(), run.usedName(), run.name());
            case LINK -> names.link(run.side(), run.name(), run.usedName());
            case REMOVE -> names.remove(run.side(), run.usedName(), false);
            case REMOVE_OPEN -> names.remove(run.side(), run.usedName(), true);
            case RENAME_DIRECTORY -> names.renameDirectory(run.side());
            case LIST -> names.list(run.side());
            case ATTRIBUTES -> attributes.check(run.side(), run.usedName());
            case SET_ATTRIBUTES -> attributes.set(run.side(), run.usedName());
            case CUT, SWAP, RECONNECT -> troubled(kind);
        };
    }

    /** A step that uses a door. */
    @FunctionalInterface
    private interface Step {
        boolean by(Door door) throws Exception;
    }

    private boolean by(Predicate<Door> which, Step step) throws Exception {
        Door door = opening.find(which);
        return door != null && step.by(door);
    }

    private boolean byOpen(Predicate<Door> which, Step step) throws Exception {
        List<Door> open = run.doors(which);
        return !open.isEmpty() && step.by(run.any(open));
    }

    private static boolean isAppending(Door door) {
        return door.appendsAsync() || (door.hasPosition() && door.modes().append());
    }

    private static boolean isRefusing(Door door) {
        boolean blocking = door.isPositional() || door.hasPosition();
        return blocking && (!door.modes().read() || !door.modes().write());
    }

    private boolean closed() throws Exception {
        if (run.doors.isEmpty()) {
            return false;
        }
        opening.close(run.any(run.doors));
        return true;
    }

    private boolean created() throws Exception {
        opening.createNew(run.side(), run.name());
        return true;
    }

    private boolean sync(Door door) throws Exception {
        sharing.sync(door);
        return true;
    }

    private boolean shared() throws Exception {
        List<ModelFile> files = run.files();
        return !files.isEmpty() && sharing.share(run.side().number(), run.any(files));
    }

    private boolean troubled(Kind kind) throws Exception {
        Side side = run.side();
        run.note(kind + " of " + side);
        return switch (kind) {
            case CUT -> run.pair.cut();
            case SWAP -> run.pair.swap(side.number());
            default -> run.pair.reconnect(side.number());
        };
    }
}
