package io.verbena.fuse.internal.kernel;

import io.verbena.text.LocalNames;
import io.verbena.text.OctetText;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The kernel's list of mounts (proc_pid_mountinfo(5)). A look at the list uses no mount: a mount that is used cannot
 * be unmounted, and its server may be silent.
 */
public final class MountTable {
    private static final Path LIST = Path.of("/proc/self/mountinfo");
    private static final int DEVICE = 2;
    private static final int DIRECTORY = 4;

    private MountTable() {}

    /** The device of the last mount at a directory, as {@code major:minor}; empty where nothing is mounted there. */
    public static Optional<String> device(Path directory) throws IOException {
        String wanted = escaped(OctetText.encode(LocalNames.text(directory)));
        String device = null;
        for (String line : Files.readAllLines(LIST, StandardCharsets.ISO_8859_1)) {
            String[] fields = line.split(" ", DIRECTORY + 2);
            if (fields.length > DIRECTORY && fields[DIRECTORY].equals(wanted)) {
                device = fields[DEVICE];
            }
        }
        return Optional.ofNullable(device);
    }

    /** The kernel writes a space, a tab, a line feed and a backslash by their octal digits. */
    private static String escaped(byte[] octets) {
        StringBuilder text = new StringBuilder();
        for (byte octet : octets) {
            switch (octet) {
                case ' ', '\t', '\n', '\\' -> text.append("\\%03o".formatted(octet));
                default -> text.append((char) (octet & 0xff));
            }
        }
        return text.toString();
    }
}
