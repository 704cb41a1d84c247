package io.verbena.cli.internal;

import io.verbena.cli.Text;
import io.verbena.text.OctetText;

/**
 * A path on a mount, {@code NAME:/path}. As with scp, a path with a colon before its first slash is remote, and every
 * other path is local. A local file {@code a:b} is written as {@code ./a:b}. People read and write the path in the form
 * of {@link OctetText#escape}.
 *
 * @param mount the name of the mount
 * @param path the octets of the path in the encoding of {@link OctetText}; starts with a slash, and ends with a slash
 *     only if it is the root
 */
public record RemotePath(String mount, String path) {
    /** Returns whether the text names a file on a mount. */
    public static boolean isRemote(String text) {
        int colon = text.indexOf(':');
        int slash = text.indexOf('/');
        return colon > 0 && (slash < 0 || colon < slash);
    }

    /**
     * Parses {@code NAME:/path}, as {@link #toString} shows it.
     *
     * @throws IllegalArgumentException if the text is not a remote path
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

    /** Returns the last name of the path; empty for the root. */
    public String name() {
        return path.substring(path.lastIndexOf('/') + 1);
    }

    public boolean isRoot() {
        return path.equals("/");
    }

    /** Returns the directory that contains the path; the root for the root. */
    public RemotePath parent() {
        int slash = path.lastIndexOf('/');
        return new RemotePath(mount, slash <= 0 ? "/" : path.substring(0, slash));
    }

    /** Returns the path of an entry of this directory. */
    public RemotePath child(String name) {
        return new RemotePath(mount, (isRoot() ? "" : path) + "/" + name);
    }

    /** Returns the path as people and programs read it, and as {@link #parse} parses it. */
    @Override
    public String toString() {
        return Text.printable(mount) + ":" + Text.name(path);
    }
}
