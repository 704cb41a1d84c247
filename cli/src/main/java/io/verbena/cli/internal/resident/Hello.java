package io.verbena.cli.internal.resident;

import io.verbena.cli.Invocation;
import io.verbena.cli.internal.script.ScriptOptions;
import io.verbena.text.LocalNames;
import io.verbena.text.OctetText;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A script that a client hands over. Its fields stand one after another, each after its length in four octets: the
 * version of the protocol, the key of the instance, the working directory, the columns of the terminal, the options as
 * words, the script, the number of arguments, the arguments, and the variables of the environment.
 *
 * @param key what the instance and the client have to have in common
 * @param text the script
 */
record Hello(String key, String text, ScriptOptions options) {
    /** The version of the protocol. A client of another version is told nothing but that. */
    static final String VERSION = "1";

    /**
     * Reads a script.
     *
     * @throws IllegalArgumentException if a process of its own has to run it, or to say what is wrong with it
     */
    static Hello of(byte[] content) {
        ByteBuffer fields = ByteBuffer.wrap(content);
        try {
            if (!octets(fields).equals(VERSION)) {
                throw new IllegalArgumentException("another version");
            }
            String key = octets(fields);
            String directory = octets(fields);
            int columns = number(fields);
            Set<String> options = Set.of(octets(fields).split(" ", -1));
            String text = utf8(fields);
            int count = number(fields);
            List<String> arguments = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                arguments.add(utf8(fields));
            }
            Map<String, String> environment = new HashMap<>();
            while (fields.hasRemaining()) {
                String variable = octets(fields);
                int end = variable.indexOf('=');
                if (end > 0) {
                    environment.put(variable.substring(0, end), variable.substring(end + 1));
                }
            }
            return new Hello(
                    key,
                    text,
                    new ScriptOptions(
                            arguments,
                            options.contains("keep-going"),
                            options.contains("timestamps"),
                            options.contains("quiet"),
                            new Invocation(LocalNames.path(directory), environment, columns)));
        } catch (BufferUnderflowException e) {
            throw new IllegalArgumentException("an incomplete message", e);
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException("not in UTF-8", e);
        }
    }

    private static byte[] field(ByteBuffer fields) {
        int length = fields.getInt();
        if (length < 0 || length > fields.remaining()) {
            throw new IllegalArgumentException("an incomplete message");
        }
        byte[] field = new byte[length];
        fields.get(field);
        return field;
    }

    private static String octets(ByteBuffer fields) {
        return OctetText.decode(field(fields));
    }

    private static String utf8(ByteBuffer fields) throws CharacterCodingException {
        return StandardCharsets.UTF_8
                .newDecoder()
                .decode(ByteBuffer.wrap(field(fields)))
                .toString();
    }

    private static int number(ByteBuffer fields) {
        String digits = octets(fields);
        if (!digits.matches("[0-9]{1,6}")) {
            throw new IllegalArgumentException("no number");
        }
        return Integer.parseInt(digits);
    }
}
