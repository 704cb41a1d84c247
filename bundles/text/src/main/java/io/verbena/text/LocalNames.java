package io.verbena.text;

import java.io.ByteArrayOutputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * Paths of this host as text, octet by octet, and back: the text is that of {@link OctetText}. {@link Path#toString()}
 * replaces what is not of the locale's character set, {@link Path#toUri()} and {@link Path#of(URI)} keep every octet.
 * No other class makes text of a local path that leads back to a file. Stateless; may be called from any thread.
 */
public final class LocalNames {
    private static final Path ROOT = Path.of("/");
    private static final char REPLACED = '\ufffd';
    private static final String PLAIN = "._~-/";

    /** Whether the JDK takes names for UTF-8; else only ASCII is sure to be taken as it is. */
    private static final boolean IS_UTF8 =
            StandardCharsets.UTF_8.name().equalsIgnoreCase(System.getProperty("sun.jnu.encoding"));

    private LocalNames() {}

    /** The octets of a path, absolute or relative. */
    public static String text(Path path) {
        String shown = path.toString();
        if (isExact(shown)) {
            return shown;
        }
        Path absolute = path.isAbsolute() ? path : ROOT.resolve(path);
        String text = OctetText.decode(octets(absolute.toUri().getRawPath()));
        // a URI of a directory ends with a slash, whether the path does or not
        int end = text.endsWith("/") && !shown.endsWith("/") ? text.length() - 1 : text.length();
        return text.substring(path.isAbsolute() ? 0 : 1, end);
    }

    /** The octets of the last name of a path; empty for a root. */
    public static String name(Path path) {
        Path name = path.getFileName();
        return name == null ? "" : text(name);
    }

    /**
     * The path of some octets, absolute or relative.
     *
     * @throws IllegalArgumentException where no path has them
     */
    public static Path path(String text) {
        return isExact(text) ? Path.of(text) : exact(text);
    }

    /**
     * What a symbolic link shall hold: a slash at the end stays, which {@link #path} leaves out.
     *
     * @throws IllegalArgumentException where no link can hold that
     */
    public static Path linkTarget(String text) {
        return text.endsWith("/") ? exact(text) : path(text);
    }

    /**
     * The absolute path that a user means: in the form of {@link OctetText#escape}, where {@code ~/} is the user's
     * home.
     *
     * @throws IllegalArgumentException where it is none
     */
    public static Path parse(String shown) {
        return meant(shown).toAbsolutePath();
    }

    /**
     * The path that a user means whose working directory is not that of the process, in the form of {@link #parse}.
     *
     * @param directory the absolute path against which a relative one counts
     * @throws IllegalArgumentException where it is none
     */
    public static Path parse(String shown, Path directory) {
        return directory.resolve(meant(shown));
    }

    private static Path meant(String shown) {
        String text = OctetText.unescape(shown);
        return path(text.startsWith("~/") ? System.getProperty("user.home") + text.substring(1) : text);
    }

    /** A path as people see it, and as {@link #parse} reads it. */
    public static String shown(Path path) {
        return OctetText.escape(text(path));
    }

    /** Whether the JDK makes of the text the octets that it has, and of these octets that text. */
    private static boolean isExact(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c >= 0x80 && (!IS_UTF8 || c == REPLACED || Character.isSurrogate(c))) {
                return false;
            }
        }
        return true;
    }

    private static Path exact(String text) {
        StringBuilder uri = new StringBuilder("file:///");
        byte[] octets = OctetText.encode(text);
        boolean isAbsolute = octets.length > 0 && octets[0] == '/';
        for (int i = isAbsolute ? 1 : 0; i < octets.length; i++) {
            char c = (char) (octets[i] & 0xff);
            // a slash that ends a URI is left out, one that is escaped is not
            boolean isPlain = i < octets.length - 1 && PLAIN.indexOf(c) >= 0;
            if (isPlain || (c < 0x80 && Character.isLetterOrDigit(c))) {
                uri.append(c);
            } else {
                uri.append('%').append(Character.forDigit(c >> 4, 16)).append(Character.forDigit(c & 0xf, 16));
            }
        }
        Path path = Path.of(URI.create(uri.toString()));
        return isAbsolute ? path : path.subpath(0, path.getNameCount());
    }

    private static byte[] octets(String rawPath) {
        ByteArrayOutputStream octets = new ByteArrayOutputStream(rawPath.length());
        for (int i = 0; i < rawPath.length(); i++) {
            if (rawPath.charAt(i) == '%') {
                octets.write(Integer.parseInt(rawPath, i + 1, i + 3, 16));
                i += 2;
            } else {
                octets.write(rawPath.charAt(i));
            }
        }
        return octets.toByteArray();
    }
}
