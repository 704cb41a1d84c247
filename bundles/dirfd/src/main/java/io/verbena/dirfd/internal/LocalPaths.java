package io.verbena.dirfd.internal;

import java.io.ByteArrayOutputStream;
import java.net.URI;
import java.nio.file.Path;

/**
 * The octets of java.nio's paths, which {@code toString} does not keep where they are no text in the JVM's encoding.
 */
public final class LocalPaths {
    private static final Path ROOT = Path.of("/");

    private LocalPaths() {}

    /** The octets of a path, made absolute. */
    public static byte[] octets(Path path) {
        String raw = path.toUri().getRawPath();
        ByteArrayOutputStream octets = new ByteArrayOutputStream(raw.length());
        for (int i = 0; i < raw.length(); i++) {
            char c = raw.charAt(i);
            if (c == '%') {
                octets.write(Integer.parseInt(raw, i + 1, i + 3, 16));
                i += 2;
            } else {
                octets.write(c);
            }
        }
        byte[] all = octets.toByteArray();
        boolean isMarked = all.length > 1 && all[all.length - 1] == '/'; // a trailing slash marks a directory
        return isMarked ? java.util.Arrays.copyOf(all, all.length - 1) : all;
    }

    /** The path that consists of one name. */
    public static Path name(byte[] name) {
        StringBuilder uri = new StringBuilder("file:///");
        for (byte octet : name) {
            uri.append('%')
                    .append(Character.forDigit((octet >> 4) & 15, 16))
                    .append(Character.forDigit(octet & 15, 16));
        }
        return Path.of(URI.create(uri.toString())).getFileName();
    }

    /** The octets of a path's last name. */
    public static byte[] lastName(Path path) {
        byte[] all = octets(path);
        int slash = all.length;
        while (slash > 0 && all[slash - 1] != '/') {
            slash--;
        }
        return java.util.Arrays.copyOfRange(all, slash, all.length);
    }

    /** The target of a link as a path. java.nio drops double and trailing slashes. */
    public static Path linkText(byte[] text) {
        boolean isAbsolute = text[0] == '/';
        Path path = isAbsolute ? ROOT : null;
        int from = 0;
        for (int at = 0; at <= text.length; at++) {
            if (at == text.length || text[at] == '/') {
                if (at > from) {
                    Path name = name(java.util.Arrays.copyOfRange(text, from, at));
                    path = path == null ? name : path.resolve(name);
                }
                from = at + 1;
            }
        }
        return path;
    }

    /** The octets of a path, which may be relative. */
    public static byte[] linkText(Path text) {
        ByteArrayOutputStream octets = new ByteArrayOutputStream();
        for (Path name : text) {
            if (octets.size() > 0 || text.isAbsolute()) {
                octets.write('/');
            }
            byte[] absolute = octets(ROOT.resolve(name));
            octets.write(absolute, 1, absolute.length - 1);
        }
        return octets.size() == 0 ? new byte[] {'/'} : octets.toByteArray();
    }
}
