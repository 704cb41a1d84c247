package io.verbena.nfs41.server.internal.security;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads the file that names the users of principals. A line is {@code principal@REALM = user}, the user by name or uid;
 * {@code #} begins a comment.
 */
public final class PrincipalFile {
    private static final long MAX_SIZE = 1 << 20;

    private PrincipalFile() {}

    /**
     * The users by their principals.
     *
     * @throws IOException with a message for people, which names the line
     */
    public static Map<String, String> read(Path file) throws IOException {
        try {
            if (Files.size(file) > MAX_SIZE) {
                throw new IOException("'principals': " + file + " has more than " + MAX_SIZE + " octets");
            }
            return parse(file, Files.readAllLines(file, StandardCharsets.UTF_8));
        } catch (NoSuchFileException e) {
            throw new IOException("'principals': there is no file " + file, e);
        } catch (AccessDeniedException e) {
            throw new IOException("'principals': this process has no permission to read " + file, e);
        } catch (CharacterCodingException e) {
            throw new IOException("'principals': " + file + " is not UTF-8", e);
        }
    }

    private static Map<String, String> parse(Path file, List<String> lines) throws IOException {
        Map<String, String> users = new HashMap<>();
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i).replaceFirst("#.*", "").trim();
            if (line.isEmpty()) {
                continue;
            }
            int equals = line.lastIndexOf('=');
            String principal = equals < 0 ? "" : line.substring(0, equals).trim();
            String user = line.substring(equals + 1).trim();
            int at = principal.lastIndexOf('@');
            if (at <= 0 || at == principal.length() - 1 || user.isEmpty() || user.matches(".*\\s.*")) {
                throw new IOException("'principals': line " + (i + 1) + " of " + file
                        + " is not PRINCIPAL@REALM = USER, as in alice@EXAMPLE.ORG = alice");
            }
            if (users.put(principal, user) != null) {
                throw new IOException(
                        "'principals': line " + (i + 1) + " of " + file + " names " + principal + " a second time");
            }
        }
        return Map.copyOf(users);
    }
}
