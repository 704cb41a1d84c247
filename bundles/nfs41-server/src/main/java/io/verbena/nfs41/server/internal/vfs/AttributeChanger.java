package io.verbena.nfs41.server.internal.vfs;

import static io.verbena.nfs41.Status.NFS4ERR_ACCESS;
import static io.verbena.nfs41.Status.NFS4ERR_BADOWNER;
import static io.verbena.nfs41.Status.NFS4ERR_INVAL;
import static io.verbena.nfs41.Status.NFS4ERR_PERM;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.UserPrincipalLookupService;
import java.nio.file.attribute.UserPrincipalNotFoundException;
import java.util.EnumSet;
import java.util.Set;

/** Changes modes, owners and times of entries of pinned directories. Thread safe. */
public final class AttributeChanger {
    private static final int SPECIAL_BITS = 07000;
    private static final int SET_ID_BITS = 06000;
    private static final PosixFilePermission[] BY_BIT = {
        PosixFilePermission.OTHERS_EXECUTE,
        PosixFilePermission.OTHERS_WRITE,
        PosixFilePermission.OTHERS_READ,
        PosixFilePermission.GROUP_EXECUTE,
        PosixFilePermission.GROUP_WRITE,
        PosixFilePermission.GROUP_READ,
        PosixFilePermission.OWNER_EXECUTE,
        PosixFilePermission.OWNER_WRITE,
        PosixFilePermission.OWNER_READ
    };

    private final boolean mayChown;

    /**
     * @param mayChown whether this process may give files away: then new objects belong to who makes them
     */
    public AttributeChanger(boolean mayChown) {
        this.mayChown = mayChown;
    }

    /** Gives a new object its owner and attributes, whoever made it. */
    void initialize(PinnedDirectory pinned, String name, UnixAttributes current, AttributeSettings settings)
            throws IOException {
        AttributeSettings possible = mayChown ? settings : settings.withOwner(null, null);
        apply(pinned.view(name), pinned.path(name), current, possible);
    }

    /** Changes an entry's attributes, as far as the caller may. */
    void change(PinnedDirectory pinned, String name, UnixAttributes current, AttributeSettings settings, Caller caller)
            throws IOException {
        apply(pinned.view(name), pinned.path(name), current, checked(current, settings, caller));
    }

    /** Changes the directory's own attributes, as far as the caller may. */
    void change(PinnedDirectory pinned, UnixAttributes current, AttributeSettings settings, Caller caller)
            throws IOException {
        apply(pinned.view(), pinned.path(""), current, checked(current, settings, caller));
    }

    private static AttributeSettings checked(UnixAttributes current, AttributeSettings settings, Caller caller)
            throws NfsError {
        boolean timesOnly = settings.mode() == null && settings.uid() == null && settings.gid() == null;
        if (!caller.owns(current)) {
            if (timesOnly && settings.serverTime() && caller.may(current, Caller.WRITE)) {
                return settings;
            }
            throw new NfsError(timesOnly && settings.serverTime() ? NFS4ERR_ACCESS : NFS4ERR_PERM);
        }
        if (caller.isRoot()) {
            return settings;
        }
        boolean givesAway = settings.uid() != null && settings.uid() != current.uid();
        boolean foreignGroup =
                settings.gid() != null && settings.gid() != current.gid() && !caller.isIn(settings.gid());
        if (givesAway || foreignGroup) {
            throw new NfsError(NFS4ERR_PERM);
        }
        return withoutSetId(current, settings, caller);
    }

    /** As chown(2) and chmod(2) do for who is not root. */
    private static AttributeSettings withoutSetId(UnixAttributes current, AttributeSettings settings, Caller caller) {
        boolean newGroup = settings.gid() != null && settings.gid() != current.gid();
        if (settings.mode() == null) {
            boolean drops = newGroup && current.isRegular() && (current.mode() & SET_ID_BITS) != 0;
            return drops ? settings.withMode(current.permissions() & ~SET_ID_BITS) : settings;
        }
        int group = newGroup ? settings.gid() : current.gid();
        return current.isRegular() && !caller.isIn(group) ? settings.withMode(settings.mode() & ~02000) : settings;
    }

    private void apply(PosixFileAttributeView view, Path path, UnixAttributes current, AttributeSettings settings)
            throws IOException {
        if (current.isSymbolicLink()) {
            applyToLink(path, current, settings);
            return;
        }
        if (!current.isRegular() && !current.isDirectory()) {
            if (!settings.withoutSize().isEmpty()) {
                throw new NfsError(NFS4ERR_INVAL); // to open a device or a pipe may have effects of its own
            }
            return;
        }
        applyOwner(view, path, current, settings);
        if (settings.mode() != null) {
            applyMode(view, path, current, settings.mode());
        }
        if (settings.accessed() != null || settings.modified() != null) {
            view.setTimes(settings.modified(), settings.accessed(), null);
        }
    }

    private void applyToLink(Path path, UnixAttributes current, AttributeSettings settings) throws IOException {
        // by the path, as lchown(2) and lutimes(2) take it; a link has no mode of its own
        if (settings.uid() != null && settings.uid() != current.uid()) {
            Files.setAttribute(path, "unix:uid", settings.uid(), LinkOption.NOFOLLOW_LINKS);
        }
        if (settings.gid() != null && settings.gid() != current.gid()) {
            Files.setAttribute(path, "unix:gid", settings.gid(), LinkOption.NOFOLLOW_LINKS);
        }
        if (settings.accessed() != null || settings.modified() != null) {
            Files.getFileAttributeView(path, BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
                    .setTimes(settings.modified(), settings.accessed(), null);
        }
    }

    private void applyOwner(PosixFileAttributeView view, Path path, UnixAttributes current, AttributeSettings settings)
            throws IOException {
        UserPrincipalLookupService principals = path.getFileSystem().getUserPrincipalLookupService();
        try {
            if (settings.uid() != null && settings.uid() != current.uid()) {
                requireChown();
                view.setOwner(principals.lookupPrincipalByName(settings.uid().toString()));
            }
            if (settings.gid() != null && settings.gid() != current.gid()) {
                view.setGroup(
                        principals.lookupPrincipalByGroupName(settings.gid().toString()));
            }
        } catch (UserPrincipalNotFoundException e) {
            throw new NfsError(NFS4ERR_BADOWNER); // beyond the 31 bits that the JDK takes
        }
    }

    private void requireChown() throws NfsError {
        if (!mayChown) {
            throw new NfsError(NFS4ERR_PERM);
        }
    }

    private static void applyMode(PosixFileAttributeView view, Path path, UnixAttributes current, int mode)
            throws IOException {
        int wanted = mode & UnixAttributes.MODE_MASK;
        if ((wanted & SPECIAL_BITS) != 0) {
            Files.setAttribute(path, "unix:mode", current.type() | wanted, LinkOption.NOFOLLOW_LINKS);
        } else if (wanted != current.permissions()) {
            view.setPermissions(permissions(wanted));
        }
    }

    private static Set<PosixFilePermission> permissions(int mode) {
        Set<PosixFilePermission> permissions = EnumSet.noneOf(PosixFilePermission.class);
        for (int bit = 0; bit < BY_BIT.length; bit++) {
            if ((mode & 1 << bit) != 0) {
                permissions.add(BY_BIT[bit]);
            }
        }
        return permissions;
    }
}
