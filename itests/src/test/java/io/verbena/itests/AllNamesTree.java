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
 * A tree with all kinds of names of a POSIX file system: each octet from 0x01 to 0xff except the slash, and sequences
 * that programs often handle wrongly. Names are octets, independent of this process's encoding.
 */
public final class AllNamesTree {
    /** A command that prints the content of a tree to compare copies: names, digests of files, targets of links. */
    public static final String SUMS =
            """
            find . -print0 | LC_ALL=C sort -z | sha256sum
            find . -type f -print0 | LC_ALL=C sort -z | xargs -0 sha256sum -z | sha256sum
            find . -type l -printf '%p\\0%l\\0' | LC_ALL=C sort -z | sha256sum
            """;

    private static final int LONGEST = 255;
    private static final long LIMIT_SECONDS = 60;

    /** The sequences as ISO 8859-1, in which each character is an octet. */
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
            // well-formed UTF-8: composed, decomposed, the highest code point, and a noncharacter
            "\u00c3\u00bc",
            "u\u00cc\u0088",
            "\u00f4\u008f\u00bf\u00bf",
            "\u00ef\u00bf\u00bf \u00ef\u00bf\u00bd",
            // over-long forms of the slash and of NUL
            "\u00c0\u00af",
            "\u00e0\u0080\u00af",
            "\u00f0\u0080\u0080\u00af",
            "\u00c0\u0080",
            // surrogates, including one that stands for a single octet in Java; beyond Unicode; truncated
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

    private AllNamesTree(Path root) {
        this.root = root;
    }

    /** Creates the tree. */
    public static AllNamesTree make(Path root) throws IOException {
        AllNamesTree tree = new AllNamesTree(Files.createDirectory(root));
        tree.makeSingleOctets();
        tree.makeSequences();
        tree.makeDirectories();
        return tree;
    }

    /** Creates a small tree: a file and a directory with a file, named in ISO 8859-1. */
    public static Path makeLatin(Path root) throws IOException {
        AllNamesTree tree = new AllNamesTree(Files.createDirectory(root));
        tree.file(root, "caf\u00e9.txt");
        tree.file(Files.createDirectory(child(root, "dir\u00e9")), "inside");
        return root;
    }

    public Path root() {
        return root;
    }

    /** The number of files and symbolic links. */
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

    /** Creates directories with such names and entries, and links with such names and targets. */
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

    /** The output of {@link #SUMS} for a directory of this host. */
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
