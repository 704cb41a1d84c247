package io.verbena.cli.internal;

import io.verbena.cli.Text;
import io.verbena.text.OctetText;

/**
 * A path on a mount, {@code NAME:/path}. As with scp, what has a colon before its first slash is remote, everything
 * else local: a local file {@code a:b} is {@code ./a:b}. People read and write it in the form of {@link OctetText#escape}.
 *
 * @param mount the mount's name
 * @param path octets as {@link OctetText} has them; starts with a slash, and ends with none unless it is the root
 */
public record RemotePath(String mount, String path) {
    /** Whether the text names a file on a mount. */
    public static boolean isRemote(String text) {
        int colon = text.indexOf(':');
        int slash = text.indexOf('/');
        return colon > 0 && (slash < 0 || colon < slash);
    }

    /**
     * Reads {@code NAME:/path}, as {@link #toString} shows it.
     *
     * @throws IllegalArgumentException where it is none
     */
    public static RemotePath parse(String text) {
        if (!isRemote(text)) {
            throw new IllegalArgumentException("'" + Text.printable(text)
                    + "' is no remote path: it has the form NAME:/path, and nfs:mounts lists the names");
        }
        int colon = text.indexOf(':');
        return new RemotePath(text.substring(0, colon), normal(OctetText.unescape(text.substring(colon + 1))));
    }

    private static String normal(String path) {
        String single = ("/" + path).replaceAll("/+", "/");
        return single.length() > 1 && single.endsWith("/") ? single.substring(0, single.length() - 1) : single;
    }

    /** The last name of the path; empty for the root. */
    public String name() {
        return path.substring(path.lastIndexOf('/') + 1);
    }

    public boolean isRoot() {
        return path.equals("/");
    }

    /** The directory that it is in; the root is in itself. */
    public RemotePath parent() {
        int slash = path.lastIndexOf('/');
        return new RemotePath(mount, slash <= 0 ? "/" : path.substring(0, slash));
    }

    /** A path below. */
    public RemotePath child(String name) {
        return new RemotePath(mount, (isRoot() ? "" : path) + "/" + name);
    }

    /** As people and programs read it, and as {@link #parse} does. */
    @Override
    public String toString() {
        return Text.printable(mount) + ":" + Text.name(path);
    }
}
