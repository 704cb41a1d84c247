package io.verbena.itests;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A tree of all names that a POSIX file system can have: each octet from 0x01 to 0xff but the slash, and sequences that
 * programs stumble over. Names are octets here, whatever the encoding of this process is.
 */
public final class OddTree {
    /** Prints what must be the same of a tree and its copy: its names, the contents of its files, where its links lead. */
    public static final String SUMS =
            """
            find . -print0 | LC_ALL=C sort -z | sha256sum
            find . -type f -print0 | LC_ALL=C sort -z | xargs -0 sha256sum -z | sha256sum
            find . -type l -printf '%p\\0%l\\0' | LC_ALL=C sort -z | sha256sum
            """;

    private static final int LONGEST = 255;
    private static final long LIMIT_SECONDS = 60;

    /** As ISO 8859-1, in which a character is an octet. */
    private static final List<String> SEQUENCES = List.of(
            "caf\u00e9.txt",
            "-rf",
            "--",
            " leading and trailing ",
            "two\nlines\r\n",
            "\\x41",
            "\\\\n\\",
            "%41%00",
            "*?[a]{b,c}~$HOME`id`$(id)'\"&;|<>#!",
            "...",
            ".hidden\u0080",
            // well-formed UTF-8: composed, decomposed, the highest code point, and what Unicode leaves out
            "\u00c3\u00bc",
            "u\u00cc\u0088",
            "\u00f4\u008f\u00bf\u00bf",
            "\u00ef\u00bf\u00bf \u00ef\u00bf\u00bd",
            // over-long forms of the slash and of NUL
            "\u00c0\u00af",
            "\u00e0\u0080\u00af",
            "\u00f0\u0080\u0080\u00af",
            "\u00c0\u0080",
            // surrogates, one of them as those that stand for single octets in Java, beyond Unicode, and cut off
            "\u00ed\u00a0\u0080",
            "\u00ed\u00b3\u00bf",
            "\u00f4\u0090\u0080\u0080",
            "\u00e2\u0082",
            "\u00e2\u0082\u00e2\u0082\u00ac",
            "n".repeat(LONGEST),
            "\u00ff".repeat(LONGEST),
            "\u00c3\u00bc".repeat(LONGEST / 2) + "\u00c3");

    private final Path root;
    private int entries;

    private OddTree(Path root) {
        this.root = root;
    }

    /** Makes it. */
    public static OddTree make(Path root) throws IOException {
        OddTree tree = new OddTree(Files.createDirectory(root));
        tree.makeSingleOctets();
        tree.makeSequences();
        tree.makeDirectories();
        return tree;
    }

    /** Makes a small one: a file and a directory with a file, named in ISO 8859-1. */
    public static Path makeLatin(Path root) throws IOException {
        OddTree tree = new OddTree(Files.createDirectory(root));
        tree.file(root, "caf\u00e9.txt");
        tree.file(Files.createDirectory(child(root, "dir\u00e9")), "inside");
        return root;
    }

    public Path root() {
        return root;
    }

    /** How many files and symbolic links it has. */
    public int entries() {
        return entries;
    }

    private static Path child(Path directory, String octets) {
        StringBuilder uri = new StringBuilder(directory.toUri().toString());
        if (uri.charAt(uri.length() - 1) != '/') {
            uri.append('/');
        }
        for (byte octet : octets.getBytes(ISO_8859_1)) {
            uri.append(String.format("%%%02X", octet & 0xff));
        }
        return Path.of(URI.create(uri.toString()));
    }

    private void file(Path directory, String octets) throws IOException {
        entries++;
        Files.write(child(directory, octets), ("content " + entries).getBytes(UTF_8));
    }

    private void makeSingleOctets() throws IOException {
        Path single = Files.createDirectory(root.resolve("single"));
        StringBuilder low = new StringBuilder();
        StringBuilder high = new StringBuilder();
        for (char octet = 1; octet <= 0xff; octet++) {
            if (octet == '/') {
                continue;
            }
            if (octet != '.') {
                file(single, String.valueOf(octet));
            }
            file(single, "a" + octet + "b");
            (octet < 0x80 ? low : high).append(octet);
        }
        file(root, low.toString());
        file(root, high.toString());
        file(root, high.reverse().toString());
    }

    private void makeSequences() throws IOException {
        for (String sequence : SEQUENCES) {
            file(root, sequence);
        }
    }

    /** Directories with such names, with such names in them, and links with such names to such names. */
    private void makeDirectories() throws IOException {
        Path directory = Files.createDirectory(child(root, "dir\u00e9"));
        Files.createDirectory(child(directory, "empty\u00ff"));
        for (String sequence : SEQUENCES) {
            Path below = Files.createDirectory(child(directory, sequence));
            file(below, sequence);
            Path link = child(below, "link to " + sequence.substring(0, Math.min(200, sequence.length())));
            Files.createSymbolicLink(link, below.relativize(child(below, sequence)));
            entries++;
        }
    }

    /** What {@link #SUMS} prints of a directory of this host. */
    public static String sums(Path directory) throws IOException, InterruptedException {
        Process process = new ProcessBuilder("sh", "-c", SUMS)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .start();
        process.getOutputStream().close();
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        try (TimeLimit limit = TimeLimit.on(process, Duration.ofSeconds(LIMIT_SECONDS))) {
            process.getInputStream().transferTo(printed);
            if (limit.isExceeded() || !process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS) || process.exitValue() != 0) {
                throw new IOException("sums of " + directory + ": " + printed.toString(UTF_8));
            }
        }
        return printed.toString(UTF_8);
    }
}
