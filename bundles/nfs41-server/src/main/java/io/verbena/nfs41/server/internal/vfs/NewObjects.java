package io.verbena.nfs41.server.internal.vfs;

import static io.verbena.nfs41.Status.NFS4ERR_STALE;

import io.verbena.dirfd.Directory;
import io.verbena.dirfd.FileReference;
import io.verbena.nfs41.server.internal.attribute.AttributeChanger;
import io.verbena.nfs41.server.internal.attribute.AttributeSettings;
import io.verbena.nfs41.server.internal.attribute.Caller;
import io.verbena.nfs41.server.internal.attribute.UnixAttributes;
import io.verbena.nfs41.server.internal.util.NfsError;
import io.verbena.runtime.Runtime;
import java.io.IOException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Creates files, directories and symbolic links in the exported tree. If a later step of the creation fails, the object
 * is removed. Thread safe.
 */
final class NewObjects {
    private static final Logger LOG = LoggerFactory.getLogger(NewObjects.class);

    /** The mode of new files until they have their owner and final mode: only this process may use them. */
    private static final int OWNER_ONLY_FILE = 0600;

    private static final int OWNER_ONLY_DIRECTORY = 0700;
    private static final int OTHERS = 077;
    private static final int SET_GID = 02000;
    private static final String TRIAL = ".verbena-";
    private static final int TRIAL_BYTES = 8;

    private final ExportTree tree;
    private final AttributeChanger attributeChanger;
    private final Removal removal;
    private final RandomGenerator random;

    /** Whether new objects have the mode and the owner with which they are created; null until that is known. */
    private volatile Boolean keepsAttributes;

    /** @param removal called for each object that is removed again */
    NewObjects(ExportTree tree, AttributeChanger attributeChanger, Removal removal, Runtime runtime) {
        this.tree = tree;
        this.attributeChanger = attributeChanger;
        this.removal = removal;
        this.random = runtime.random();
    }

    /** Called when a name has been removed. */
    @FunctionalInterface
    interface Removal {
        void gone(UnixAttributes entry, Inode parent, String name);
    }

    /** A new object: its directory, its name there, and its attributes. */
    private record Plan(PinnedDirectory pinned, Inode parent, String name, AttributeSettings settings, Caller caller) {}

    /** Creates an object and returns a reference to it, or leaves nothing behind. */
    @FunctionalInterface
    private interface Maker {
        FileReference make(Plan plan) throws IOException;
    }

    /** A step with an object that was just created. */
    @FunctionalInterface
    private interface Step<T> {
        T run() throws IOException;
    }

    /** Creates a file, empty or with a hole of the requested size, and keeps it open for the OPEN that creates it. */
    FoundObject file(PinnedDirectory pinned, Inode parent, String name, AttributeSettings settings, Caller caller)
            throws IOException {
        Plan plan = new Plan(pinned, parent, name, settings, caller);
        return create(plan, each -> pinned.createFile(name, OWNER_ONLY_FILE));
    }

    FoundObject directory(PinnedDirectory pinned, Inode parent, String name, AttributeSettings settings, Caller caller)
            throws IOException {
        Plan plan = new Plan(pinned, parent, name, settings, caller);
        return create(plan, each -> {
            pinned.createDirectory(name, OWNER_ONLY_DIRECTORY);
            return opened(each, () -> pinned.openDirectory(name), made -> requireFresh(pinned, made));
        });
    }

    /**
     * Creates a symbolic link.
     *
     * @param text its octets
     */
    FoundObject symbolicLink(
            PinnedDirectory pinned, Inode parent, String name, byte[] text, AttributeSettings settings, Caller caller)
            throws IOException {
        Plan plan = new Plan(pinned, parent, name, settings, caller);
        return create(plan, each -> {
            pinned.createSymbolicLink(name, text);
            return opened(each, () -> pinned.refer(name), made -> {
                if (!made.status().isSymbolicLink() || !Arrays.equals(made.readLink(), text)) {
                    throw new NfsError(NFS4ERR_STALE);
                }
            });
        });
    }

    /**
     * Creates a FIFO, a socket or a device file.
     *
     * @param type as in the mode of stat(2)
     */
    FoundObject special(
            PinnedDirectory pinned,
            Inode parent,
            String name,
            int type,
            long rdev,
            AttributeSettings settings,
            Caller caller)
            throws IOException {
        Plan plan = new Plan(pinned, parent, name, settings, caller);
        return create(plan, each -> {
            pinned.createSpecial(name, type | OWNER_ONLY_FILE, rdev);
            return opened(each, () -> pinned.refer(name), made -> {
                UnixAttributes status = UnixAttributes.of(made.status());
                if (status.type() != type || status.rdev() != rdev) {
                    throw new NfsError(NFS4ERR_STALE);
                }
            });
        });
    }

    private FoundObject create(Plan plan, Maker maker) throws IOException {
        try (FileReference reference = maker.make(plan)) {
            UnixAttributes made = UnixAttributes.of(reference.status());
            return orNothing(plan, made, () -> finish(plan, reference, made));
        }
    }

    /** Throws if an object is not the one that was just created. */
    @FunctionalInterface
    private interface Proof<T> {
        void require(T made) throws IOException;
    }

    /** Opens the new object by its name, and proves that it is the object that was created. */
    private <T extends FileReference> T opened(Plan plan, Step<T> opening, Proof<T> proof) throws IOException {
        UnixAttributes made = plan.pinned.attributesIfThere(plan.name);
        return orNothing(plan, made, () -> {
            T opened = opening.run();
            try {
                proof.require(opened);
                return opened;
            } catch (Throwable e) {
                opened.close();
                throw e;
            }
        });
    }

    /** Executes the next step with an object that was just created. If the step fails, removes the object. */
    private <T> T orNothing(Plan plan, UnixAttributes made, Step<T> step) throws IOException {
        boolean isDone = false;
        try {
            T result = step.run();
            isDone = true;
            return result;
        } finally {
            if (!isDone) {
                takeBack(plan, made);
            }
        }
    }

    /** Removes the name if it is still that of the object. */
    private void takeBack(Plan plan, UnixAttributes made) {
        try {
            UnixAttributes now = plan.pinned.attributesIfThere(plan.name);
            if (now != null && made != null && now.ino() == made.ino() && now.type() == made.type()) {
                plan.pinned.remove(plan.name, now.isDirectory());
                removal.gone(now, plan.parent, plan.name);
            }
        } catch (IOException e) {
            LOG.warn("An object that a failed request has created could not be removed: {}", e.toString());
        }
    }

    /**
     * Throws unless the directory is empty and only this process may use it. No call both creates and opens a
     * directory: a process on this host could put another directory in its place in between.
     */
    private void requireFresh(PinnedDirectory pinned, Directory made) throws IOException {
        if (!isPrivate(UnixAttributes.of(made.status())) && keepsAttributes(pinned)) {
            throw new NfsError(NFS4ERR_STALE);
        }
        made.forEachName(name -> {
            throw new NfsError(NFS4ERR_STALE);
        });
    }

    private boolean isPrivate(UnixAttributes made) {
        return (made.mode() & OTHERS) == 0 && attributeChanger.isOfThisProcess(made);
    }

    /**
     * Whether the file system gives new objects the mode and the owner with which they are created; vfat, exFAT and
     * CIFS do not. A new file shows it: its descriptor comes from the call that creates it, so that no process can put
     * another file in its place.
     */
    private boolean keepsAttributes(PinnedDirectory pinned) throws IOException {
        Boolean known = keepsAttributes;
        if (known != null) {
            return known;
        }
        byte[] octets = new byte[TRIAL_BYTES];
        random.nextBytes(octets);
        String name = TRIAL + HexFormat.of().formatHex(octets);
        boolean keeps;
        try (FileReference trial = pinned.createFile(name, OWNER_ONLY_FILE)) {
            UnixAttributes attributes = UnixAttributes.of(trial.status());
            keeps = isPrivate(attributes);
            UnixAttributes now = pinned.attributesIfThere(name);
            if (now != null && now.ino() == attributes.ino()) {
                pinned.remove(name, false);
            }
        }
        if (!keeps) {
            LOG.info("The exported file system keeps no modes and owners: it sets those of new objects itself");
        }
        keepsAttributes = keeps;
        return keeps;
    }

    /** Gives a new object its size, owner and attributes. */
    private FoundObject finish(Plan plan, FileReference reference, UnixAttributes made) throws IOException {
        Inode inode = tree.index().seen(made, plan.parent, plan.name);
        if (!made.isRegular()) {
            return new FoundObject(inode, initialize(plan, reference, made));
        }
        OpenFile open = tree.open(inode, reference, true); // before the mode forbids opening it
        boolean isKept = false;
        try {
            Long size = plan.settings.size();
            UnixAttributes before = made;
            if (size != null && size > 0) {
                open.setSize(size);
                before = UnixAttributes.of(reference.status());
            }
            FoundObject found = new FoundObject(inode, initialize(plan, reference, before));
            tree.keep(open);
            isKept = true;
            return found;
        } finally {
            if (!isKept) {
                open.close();
            }
        }
    }

    /** Gives a new object its owner and attributes, and returns those that it has then. */
    private UnixAttributes initialize(Plan plan, FileReference reference, UnixAttributes made) throws IOException {
        AttributeSettings wanted = initial(plan.pinned, made, plan.settings, plan.caller);
        boolean isPrivate = made.isSymbolicLink() ? attributeChanger.isOfThisProcess(made) : isPrivate(made);
        if (isPrivate && isAsWanted(made, wanted)) {
            return made;
        }
        attributeChanger.initialize(reference, made, wanted, isPrivate);
        return UnixAttributes.of(reference.status());
    }

    private static boolean isAsWanted(UnixAttributes made, AttributeSettings wanted) {
        return (wanted.mode() == null || wanted.mode() == made.permissions())
                && wanted.uid() == made.uid()
                && wanted.gid() == made.gid()
                && wanted.accessed() == null
                && wanted.modified() == null;
    }

    private AttributeSettings initial(
            PinnedDirectory pinned, UnixAttributes made, AttributeSettings settings, Caller caller) {
        UnixAttributes directory = pinned.attributes();
        boolean inherits = (directory.mode() & SET_GID) != 0;
        Integer mode = settings.mode();
        if (mode == null && !made.isSymbolicLink()) {
            mode = made.isDirectory() ? 0755 : 0644;
        }
        if (mode != null) {
            mode = attributeChanger.permitted(mode, made, caller);
        }
        if (mode != null && inherits && made.isDirectory()) {
            mode |= SET_GID;
        }
        Integer uid = settings.uid() != null && caller.isRoot() ? settings.uid() : Integer.valueOf(caller.uid());
        int gid = settings.gid() != null && (caller.isRoot() || caller.isIn(settings.gid()))
                ? settings.gid()
                : inherits ? directory.gid() : caller.gid();
        if (mode != null && made.isRegular() && !caller.isRoot() && !caller.isIn(gid)) {
            mode &= ~SET_GID; // as Linux: else the file would run as a group that its maker is not in
        }
        return settings.withMode(mode).withOwner(uid, gid);
    }
}
