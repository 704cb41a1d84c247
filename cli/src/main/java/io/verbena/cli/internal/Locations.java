package io.verbena.cli.internal;

import io.verbena.cli.Invocation;
import io.verbena.nfs.transfer.Location;
import io.verbena.text.OctetText;
import org.apache.karaf.shell.support.CommandException;

/** Parses locations of files as users write them. Failures name a location as the user wrote it. Stateless. */
public final class Locations {
    private Locations() {}

    /** Parses {@code NAME:/path}. A slash at the end means a directory. */
    public static Location remote(String text, Mounts mounts) throws CommandException {
        Location location = remote(RemotePath.parse(text), mounts);
        return text.endsWith("/") ? location.asDirectory() : location;
    }

    /** Returns the location of a path on a mount. If the mount is replaced, a copy continues with its successor. */
    public static Location remote(RemotePath remote, Mounts mounts) throws CommandException {
        return Location.of(mounts.get(remote.mount()), remote.path())
                .named(remote.toString())
                .withSuccessors(mounts::successor);
    }

    /** Parses a local path, as of an invocation. A slash at the end means a directory. */
    public static Location local(String text, Invocation invocation) {
        Location location = Location.of(invocation.path(text)).named(OctetText.escape(OctetText.unescape(text)));
        return text.endsWith("/") ? location.asDirectory() : location;
    }
}
