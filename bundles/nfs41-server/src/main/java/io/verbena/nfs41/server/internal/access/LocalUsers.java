package io.verbena.nfs41.server.internal.access;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

/** The uids of this host's users. */
final class LocalUsers {
    private static final Path PASSWD = Path.of("/etc/passwd");
    private static final Pattern NUMBER = Pattern.compile("\\d{1,10}");
    private static final int UID_FIELD = 2;

    private LocalUsers() {}

    /**
     * The uid of a name or a number.
     *
     * @throws IllegalArgumentException with a message for people
     */
    static int uid(String user) {
        if (NUMBER.matcher(user).matches()) {
            try {
                return Integer.parseUnsignedInt(user);
            } catch (NumberFormatException e) {
                throw new IllegalArgumentException("'" + user + "' is no uid: it is at most 4294967295", e);
            }
        }
        for (String line : lines()) {
            String[] fields = line.split(":", -1);
            if (fields.length > UID_FIELD
                    && fields[0].equals(user)
                    && NUMBER.matcher(fields[UID_FIELD]).matches()) {
                return Integer.parseUnsignedInt(fields[UID_FIELD]);
            }
        }
        throw new IllegalArgumentException("'" + user + "' is no user of /etc/passwd: say the uid");
    }

    private static List<String> lines() {
        try {
            return Files.readAllLines(PASSWD, StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            return List.of();
        }
    }
}
