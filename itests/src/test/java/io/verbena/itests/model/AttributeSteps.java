package io.verbena.itests.model;

import io.verbena.nfs.AttributeChanges;
import io.verbena.nfs.FileAttributes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;
import java.util.Set;

/** Attributes by path, by the mount's own methods and by java.nio's. */
final class AttributeSteps {
    private static final int PERMISSIONS = 0777;
    /** The owner may always read and write. */
    private static final List<String> MODES = List.of("rw-------", "rw-r--r--", "rw-rw-r--", "rwxr-xr-x");

    private static final int SECONDS = 1_500_000_000;

    private final Run run;
    private final Sharing sharing;

    AttributeSteps(Run run, Sharing sharing) {
        this.run = run;
        this.sharing = sharing;
    }

    /** The attributes that a mount returns for a file. */
    private record Told(long size, Set<PosixFilePermission> mode, Instant modified) {}

    private static Told told(Side side, String name, boolean nio) throws IOException {
        if (nio) {
            PosixFileAttributes is = Files.readAttributes(side.path(name), PosixFileAttributes.class);
            return new Told(is.size(), is.permissions(), is.lastModifiedTime().toInstant());
        }
        FileAttributes is = side.mount().attributes(side.remote(name), true);
        return new Told(is.size(), permissions(is.mode() & PERMISSIONS), is.modified());
    }

    private static Set<PosixFilePermission> permissions(int mode) {
        StringBuilder text = new StringBuilder();
        for (int bit = 8; bit >= 0; bit--) {
            text.append((mode & 1 << bit) == 0 ? '-' : "xwr".charAt(bit % 3));
        }
        return PosixFilePermissions.fromString(text.toString());
    }

    private static int mode(Set<PosixFilePermission> permissions) {
        int mode = 0;
        for (char each : PosixFilePermissions.toString(permissions).toCharArray()) {
            mode = mode << 1 | (each == '-' ? 0 : 1);
        }
        return mode;
    }

    boolean check(Side side, String name) throws IOException {
        ModelFile file = run.names.get(name);
        boolean nio = run.oneIn(2);
        run.note(side + ": attributes of " + name + " (" + file + ")" + (nio ? " by nio" : ""));
        if (file == null) {
            NameSteps.expectMissing(name, () -> told(side, name, nio));
            return true;
        }
        Told told = told(side, name, nio);
        if (!file.mayHaveSize(side.number(), told.size())) {
            throw new AssertionError(name + " has " + told.size() + " octets instead of " + file.size());
        }
        if (file.mode != null && !told.mode().equals(file.mode)) {
            throw new AssertionError(name + " has the mode " + told.mode() + " instead of " + file.mode);
        }
        if (file.modified != null && !told.modified().equals(file.modified)) {
            throw new AssertionError(name + " was modified at " + told.modified() + " instead of " + file.modified);
        }
        return true;
    }

    boolean set(Side side, String name) throws IOException {
        return run.oneIn(2) ? setMode(side, name) : setTime(side, name);
    }

    private boolean setMode(Side side, String name) throws IOException {
        ModelFile file = run.names.get(name);
        boolean nio = run.oneIn(2);
        Set<PosixFilePermission> mode = PosixFilePermissions.fromString(run.any(MODES));
        run.note(side + ": set the mode " + mode + " of " + name + " (" + file + ")" + (nio ? " by nio" : ""));
        NameSteps.Call call = () -> {
            if (nio) {
                Path unused = Files.setPosixFilePermissions(side.path(name), mode);
            } else {
                AttributeChanges changes = AttributeChanges.NONE.withMode(mode(mode));
                FileAttributes unused = side.mount().setAttributes(side.remote(name), changes, true);
            }
        };
        if (file == null) {
            NameSteps.expectMissing(name, call);
            return true;
        }
        call.run();
        file.mode = mode;
        return true;
    }

    /** Sets a time. Writes of the other mount are completed first, since their order with this change is undefined. */
    private boolean setTime(Side side, String name) throws IOException {
        ModelFile file = run.names.get(name);
        if (file == null || !sharing.makeKnown(side.number(), file)) {
            return false;
        }
        boolean nio = run.oneIn(2);
        Instant time =
                Instant.ofEpochSecond(run.below(SECONDS), 1000L * run.below(1_000_000)); // the precision of the JDK
        run.note(side + ": set the times " + time + " of " + name + " (" + file + ")" + (nio ? " by nio" : ""));
        if (nio) {
            Path unused = Files.setLastModifiedTime(side.path(name), FileTime.from(time));
        } else {
            AttributeChanges changes = AttributeChanges.NONE.withTimes(time, time);
            FileAttributes unused = side.mount().setAttributes(side.remote(name), changes, true);
        }
        file.modified = time;
        return true;
    }
}
