package io.verbena.itests;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** SHA-256 digests of files, by their paths below a directory. */
public final class Digests {
    private Digests() {}

    /** The digests of the regular files below a directory; links are not followed. */
    public static Map<String, String> of(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            return files.filter(file -> Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS))
                    .collect(Collectors.toMap(
                            file -> directory.relativize(file).toString(), Digests::ofFile, (a, b) -> a, TreeMap::new));
        }
    }

    /** The digest of one file, in hexadecimal. */
    public static String ofFile(Path file) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            return HexFormat.of().formatHex(digest.digest(Files.readAllBytes(file)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java runtime has it", e);
        }
    }

    /** Parses the output of sha256sum for files named {@code ./PATH}. */
    public static Map<String, String> parse(String printed) {
        return printed.lines()
                .collect(Collectors.toMap(
                        line -> line.substring(line.indexOf(' ') + 2).replaceFirst("^\\./", ""),
                        line -> line.substring(0, line.indexOf(' ')),
                        (a, b) -> a,
                        TreeMap::new));
    }
}
