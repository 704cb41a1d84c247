package io.verbena.itests.model;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * Does a {@link Plan}'s steps one by one, on one thread, and checks the result of each. What must hold:
 *
 * <ul>
 *   <li>Within one mount everything is one order, that of the calls, by whatever door: a read, a size and the attributes
 *       see all that was called before, asynchronous WRITEs too, and of two WRITEs the one that was called later wins.
 *       An asynchronous READ may find octets that are changed between its call and its end as they were or as they are;
 *       where the size is changed meanwhile, it may end where one of its requests ends.
 *   <li>The other mount sees what was written once it was synced, or its door was closed, or an exclusive lock of its
 *       door was released, and this mount has then opened or locked the file, by whatever door. Until then octets and
 *       size that the other has changed are as they are, or as they were at some time since; all other octets are as they
 *       were.
 *   <li>Two mounts do not write the same octets before the first has synced: what would come of it is not said.
 *       Before a mount truncates or appends, the other syncs and it opens or locks the file.
 *   <li>Locks of two mounts exclude each other. A lock that overlaps one of the same mount is refused by an exception; the
 *       end of one lock leaves the octets of all others locked. Who asks for octets that nobody has locked gets the
 *       lock, and so does who waits for one that another mount releases.
 *   <li>Names, modes and times that were set are the same for both mounts at any time. A time of modification that was
 *       set stays until the file is written or truncated; writes that were called before do not change it. A file goes
 *       on while it is open, also where it has lost its name.
 *   <li>Each call has the result, or the exception, that its contract says. Only a channel's read may give less than
 *       there is, and that is at least one octet.
 * </ul>
 *
 * <p>Lost connections and transports that are replaced change nothing of it.
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

    public Driver(Plan plan, World world) {
        this.run = new Run(plan, world);
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

    /** Does all steps, and closes what it has opened. */
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

    /** How many steps were done. */
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

    /** Something done by a door. */
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
            case CUT -> run.world.cut();
            case SWAP -> run.world.swap(side.number());
            default -> run.world.reconnect(side.number());
        };
    }
}
