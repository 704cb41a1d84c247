package io.verbena.nfs.transfer;

import io.verbena.text.OctetText;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;

/**
 * A list of names below a directory, as {@code --files-from} of rsync and rclone reads it. Names are any octets, which
 * Strings hold as {@link OctetText} has them. A name of a directory stands for everything in it. A slash at the start
 * or the end of a name, {@code .} and slashes in a row mean nothing. A name with {@code ..} is refused. Immutable.
 */
public final class NameList {
    /** The largest size of a list in octets. */
    public static final long MAX_OCTETS = 256L << 20;

    /** The largest number of names. */
    public static final int MAX_NAMES = 1 << 22;

    private static final int CHUNK = 1 << 16;

    private final Set<String> names;
    private final Set<String> above;

    private NameList(Set<String> names, Set<String> above) {
        this.names = names;
        this.above = above;
    }

    /**
     * Returns a list of these names.
     *
     * @throws IllegalArgumentException if a name contains {@code ..} or an octet 0
     */
    public static NameList of(Collection<String> names) {
        Set<String> all = new HashSet<>();
        names.forEach(name -> all.add(normal(name)));
        return of(all);
    }

    private static NameList of(Set<String> all) {
        Set<String> above = new HashSet<>();
        for (String name : all) {
            for (int slash = name.lastIndexOf('/'); slash > 0; slash = name.lastIndexOf('/', slash - 1)) {
                if (!above.add(name.substring(0, slash))) {
                    break;
                }
            }
        }
        return new NameList(all, above);
    }

    /**
     * Reads a list. Empty names are ignored. In a list of lines, a carriage return before the end of a line is not part
     * of the name, and a line that begins with {@code #} or {@code ;} is a comment.
     *
     * @param in the stream, which is read to its end and not closed
     * @param areNulTerminated whether names end with an octet 0 and not with a line feed, so that each name is taken as
     *     it is
     * @throws IOException if the stream cannot be read, or if the list is larger than {@link #MAX_OCTETS} or {@link
     *     #MAX_NAMES}
     * @throws IllegalArgumentException if a name contains {@code ..}
     */
    public static NameList read(InputStream in, boolean areNulTerminated) throws IOException {
        Set<String> all = new HashSet<>();
        ByteArrayOutputStream name = new ByteArrayOutputStream();
        byte[] chunk = new byte[CHUNK];
        long octets = 0;
        for (int count = in.read(chunk); count >= 0; count = in.read(chunk)) {
            octets += count;
            if (octets > MAX_OCTETS) {
                throw new IOException("the list is larger than " + MAX_OCTETS + " octets: divide it");
            }
            for (int i = 0; i < count; i++) {
                if (chunk[i] == (areNulTerminated ? 0 : '\n')) {
                    add(all, name, areNulTerminated);
                } else {
                    name.write(chunk[i]);
                }
            }
        }
        add(all, name, areNulTerminated);
        return of(all);
    }

    private static void add(Set<String> all, ByteArrayOutputStream octets, boolean areNulTerminated)
            throws IOException {
        String name = OctetText.decode(octets.toByteArray());
        octets.reset();
        if (!areNulTerminated) {
            name = name.endsWith("\r") ? name.substring(0, name.length() - 1) : name;
            if (name.startsWith("#") || name.startsWith(";")) {
                return;
            }
        }
        if (name.isEmpty()) {
            return;
        }
        all.add(normal(name));
        if (all.size() > MAX_NAMES) {
            throw new IOException("the list has more than " + MAX_NAMES + " names: divide it");
        }
    }

    private static String normal(String name) {
        if (name.indexOf(0) >= 0) {
            throw new IllegalArgumentException(
                    OctetText.escape(name) + ": no name has an octet 0; are the names separated by it?");
        }
        Deque<String> parts = new ArrayDeque<>();
        for (String part : name.split("/", -1)) {
            if (part.equals("..")) {
                throw new IllegalArgumentException(
                        OctetText.escape(name) + ": a name in a list is below the directory, without ..");
            }
            if (!part.isEmpty() && !part.equals(".")) {
                parts.add(part);
            }
        }
        return String.join("/", parts);
    }

    /** Returns the names, without the slashes that mean nothing; an empty name is the directory itself. */
    public Set<String> names() {
        return Set.copyOf(names);
    }

    /**
     * Returns whether an object is selected, or whether a directory is searched.
     *
     * @param path the path below the directory
     * @param isDirectory whether the path is a directory
     */
    public boolean takes(String path, boolean isDirectory) {
        return (isDirectory && above.contains(path)) || isNamed(path);
    }

    /** Returns whether a path or a directory above it is in the list. */
    public boolean isNamed(String path) {
        if (names.contains("") || names.contains(path)) {
            return true;
        }
        for (int slash = path.lastIndexOf('/'); slash > 0; slash = path.lastIndexOf('/', slash - 1)) {
            if (names.contains(path.substring(0, slash))) {
                return true;
            }
        }
        return false;
    }
}
