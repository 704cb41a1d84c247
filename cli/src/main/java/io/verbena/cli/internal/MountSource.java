package io.verbena.cli.internal;

import io.verbena.cli.Text;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The mounted export, {@code SERVER:/EXPORT}.
 *
 * @param server the host name or address of the server; an IPv6 address without its brackets
 * @param export the path on the server
 */
public record MountSource(String server, String export) {
    private static final Pattern FORM = Pattern.compile("(?:\\[([0-9A-Fa-f:.%\\w]+)]|([^\\[\\]/:\\s]+)):(/.*)");

    /**
     * Parses a source.
     *
     * @throws IllegalArgumentException if the text is not a source
     */
    public static MountSource parse(String text) {
        Matcher parts = FORM.matcher(text);
        if (!parts.matches()) {
            throw new IllegalArgumentException(
                    "'" + Text.printable(text) + "' is no SERVER:/EXPORT, like server:/docs or '[::1]:/docs'");
        }
        return new MountSource(parts.group(1) != null ? parts.group(1) : parts.group(2), parts.group(3));
    }
}
