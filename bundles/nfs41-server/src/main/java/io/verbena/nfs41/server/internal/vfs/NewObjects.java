package io.verbena.nfs41.server.internal.vfs;

import static io.verbena.nfs41.Status.NFS4ERR_STALE;

import io.verbena.dirfd.Directory;
import io.verbena.dirfd.FileReference;
import java.io.IOException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.HexFormat;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes files, directories and symbolic links in the exported tree. What cannot be made whole is not left. Thread safe. */
final class NewObjects {
    private static final Logger LOG = LoggerFactory.getLogger(NewObjects.class);

    /** New objects are nobody's but this process's until they have their owner and mode. */
    private static final int OWNER_ONLY_FILE = 0600;

    private static final int OWNER_ONLY_DIRECTORY = 0700;
    private static final int OTHERS = 077;
    private static final int SET_GID = 02000;
    private static final String TRIAL = ".verbena-";
    private static final int TRIAL_BYTES = 8;

    private final ExportTree tree;
    private final AttributeChanger attributeChanger;
    private final Removal removal;
    private final SecureRandom random = new SecureRandom();

    /** Whether new objects have the mode and the owner that they are made with; null until it is asked for. */
    private volatile Boolean keepsAttributes;

    /**
     * @param removal told of each object that is removed again
     */
    NewObjects(ExportTree tree, AttributeChanger attributeChanger, Removal removal) {
        this.tree = tree;
        this.attributeChanger = attributeChanger;
        this.removal = removal;
    }

    /** Takes notice of names that are gone. */
    @FunctionalInterface
    interface Removal {
        void gone(UnixAttributes entry, Inode parent, String name);
    }

    /** A new object's directory, its name there, and what it is to be like. */
    private record Plan(PinnedDirectory pinned, Inode parent, String name, AttributeSettings settings, Caller caller) {}

    /** Makes an object and gives a reference to it, or leaves nothing. */
    @FunctionalInterface
    private interface Maker {
        FileReference make(Plan plan) throws IOException;
    }

    /** What is done with an object that was just made. */
    @FunctionalInterface
    private interface Step<T> {
        T run() throws IOException;
    }

    /** Makes an empty file, or one with a hole of the size that is asked for, and keeps it open for who opens it. */
    Found file(PinnedDirectory pinned, Inode parent, String name, AttributeSettings settings, Caller caller)
            throws IOException {
        Plan plan = new Plan(pinned, parent, name, settings, caller);
        return create(plan, each -> pinned.createFile(name, OWNER_ONLY_FILE));
    }

    Found directory(PinnedDirectory pinned, Inode parent, String name, AttributeSettings settings, Caller caller)
            throws IOException {
        Plan plan = new Plan(pinned, parent, name, settings, caller);
        return create(plan, each -> {
            pinned.createDirectory(name, OWNER_ONLY_DIRECTORY);
            return opened(each, () -> pinned.openDirectory(name), made -> requireFresh(pinned, made));
        });
    }

    /**
     * Makes a symbolic link.
     *
     * @param text its octets
     */
    Found symbolicLink(
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

    private Found create(Plan plan, Maker maker) throws IOException {
        try (FileReference reference = maker.make(plan)) {
            UnixAttributes made = UnixAttributes.of(reference.status());
            return orNothing(plan, made, () -> finish(plan, reference, made));
        }
    }

    /** Refuses an object that is not the one just made. */
    @FunctionalInterface
    private interface Proof<T> {
        void require(T made) throws IOException;
    }

    /** Opens what was made by its name, and proves that it is that. */
    private <T extends FileReference> T opened(Plan plan, Step<T> opening, Proof<T> proof) throws IOException {
        UnixAttributes made = plan.pinned.attributesIfThere(plan.name);
        return orNothing(plan, made, () -> {
            T opened = opening.run();
            try {
                proof.require(opened);
                return opened;
            } catch (IOException | RuntimeException e) {
                opened.close();
                throw e;
            }
        });
    }

    /** Does the next step with an object that was just made; where that fails, removes the object. */
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

    /** Removes the name if it is still the object's. */
    private void takeBack(Plan plan, UnixAttributes made) {
        try {
            UnixAttributes now = plan.pinned.attributesIfThere(plan.name);
            if (now != null && made != null && now.ino() == made.ino() && now.type() == made.type()) {
                plan.pinned.remove(plan.name, now.isDirectory());
                removal.gone(now, plan.parent, plan.name);
            }
        } catch (IOException e) {
            LOG.warn("What a refused request has made could not be removed again: {}", e.toString());
        }
    }

    /**
     * A directory has no call that makes it and opens it. So that nobody on this host is given another one by swapping
     * the two in between, it must be empty and nobody's but this process's.
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
     * Whether the file system gives new objects the mode and owner that they are made with, as vfat, exFAT and CIFS do
     * not. A file tells: it comes with its descriptor, so nobody can put another one in its place.
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
            LOG.info("The exported file system has no modes or owners of its own: new objects get what it gives them");
        }
        keepsAttributes = keeps;
        return keeps;
    }

    /** Gives a new object its size, owner and attributes. */
    private Found finish(Plan plan, FileReference reference, UnixAttributes made) throws IOException {
        Inode inode = tree.index().seen(made, plan.parent, plan.name);
        if (!made.isRegular()) {
            initialize(plan, reference, made);
            return new Found(inode, UnixAttributes.of(reference.status()));
        }
        OpenFile open = OpenFile.open(inode, reference, true); // before its mode forbids that
        boolean isKept = false;
        try {
            Long size = plan.settings.size();
            if (size != null && size > 0) {
                open.setSize(size);
            }
            initialize(plan, reference, made);
            Found found = new Found(inode, UnixAttributes.of(reference.status()));
            tree.keep(open);
            isKept = true;
            return found;
        } finally {
            if (!isKept) {
                open.close();
            }
        }
    }

    private void initialize(Plan plan, FileReference reference, UnixAttributes made) throws IOException {
        AttributeSettings wanted = initial(plan.pinned, made, plan.settings, plan.caller);
        boolean isPrivate = made.isSymbolicLink() ? attributeChanger.isOfThisProcess(made) : isPrivate(made);
        attributeChanger.initialize(reference, made, wanted, isPrivate);
    }

    private static AttributeSettings initial(
            PinnedDirectory pinned, UnixAttributes made, AttributeSettings settings, Caller caller) {
        UnixAttributes directory = pinned.attributes();
        boolean inherits = (directory.mode() & SET_GID) != 0;
        Integer mode = settings.mode();
        if (mode == null && !made.isSymbolicLink()) {
            mode = made.isDirectory() ? 0755 : 0644;
        }
        if (mode != null && inherits && made.isDirectory()) {
            mode |= SET_GID;
        }
        Integer uid = settings.uid() != null && caller.isRoot() ? settings.uid() : Integer.valueOf(caller.uid());
        int gid = settings.gid() != null && (caller.isRoot() || caller.isIn(settings.gid()))
                ? settings.gid()
                : inherits ? directory.gid() : caller.gid();
        return settings.withMode(mode).withOwner(uid, gid);
    }
}
