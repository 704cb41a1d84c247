package io.verbena.text;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;

/**
 * A directory with every name that is hard to copy: each octet from 0x01 to 0xff but the slash, names of 255 octets,
 * malformed and over-long UTF-8, names that look like options, patterns, escapes or commands; as files, in directories
 * with such names, and as what symbolic links hold. For tests of whatever copies names.
 */
public final class OctetTree {
    private static final int LONGEST = 255;

    private static final List<String> MALFORMED = List.of(
            "636166e92e747874", // ISO 8859-1
            "c3", // cut off
            "f09f98",
            "c0af", // over-long
            "e080af",
            "f08080af",
            "eda080", // surrogates
            "edb2a9",
            "f4908080", // beyond Unicode
            "fffe",
            "c3c3a9",
            "e2e282ac82ac");

    private static final List<String> PECULIAR = List.of(
            "a\\x41",
            "a\\\\x41",
            "\\",
            "a\\",
            "-rf",
            "--",
            "~",
            "...",
            " ",
            " a b ",
            "a\nb",
            "\n",
            "*",
            "[a]",
            "{a,b}",
            "$HOME",
            "`x`",
            "a;b|c&d",
            "it's",
            "a\"b",
            "a:b",
            "%41",
            "\ufffd",
            "\ud83d\ude00",
            "caf\u00e9",
            "cafe\u0301",
            "\u009b",
            "\u202e");

    private OctetTree() {}

    /** Makes it in a directory, which it makes too. Each file holds its own name. */
    public static void make(Path top) throws IOException {
        Files.createDirectories(top);
        List<byte[]> names = names();
        for (byte[] name : names) {
            Files.write(child(top, name), name);
        }
        for (String directory : List.of("646972e9", "64c0af", "642d0a5c", "2d64")) {
            Path made = Files.createDirectory(child(top, HexFormat.of().parseHex(directory)));
            for (byte[] name : names.subList(names.size() - 20, names.size())) {
                Files.write(child(made, name), name);
            }
        }
        Path links = Files.createDirectory(top.resolve("links"));
        for (int i = 0; i < names.size(); i++) {
            Files.createSymbolicLink(
                    links.resolve("link" + i), LocalNames.path("../" + OctetText.decode(names.get(i))));
        }
        Files.createSymbolicLink(links.resolve("directory"), LocalNames.linkTarget("../dir\udce9/"));
    }

    /** The names of the files at its top. */
    public static List<byte[]> names() {
        List<byte[]> names = new ArrayList<>();
        for (int octet = 1; octet <= 0xff; octet++) {
            if (octet != '/') {
                names.add(new byte[] {'x', (byte) octet, 'y'});
            }
        }
        MALFORMED.forEach(hex -> names.add(HexFormat.of().parseHex(hex)));
        PECULIAR.forEach(name -> names.add(name.getBytes(StandardCharsets.UTF_8)));
        names.add("l".repeat(LONGEST).getBytes(StandardCharsets.UTF_8));
        byte[] invalid = new byte[LONGEST];
        Arrays.fill(invalid, (byte) 0xff);
        names.add(invalid);
        return names;
    }

    private static Path child(Path directory, byte[] name) {
        return LocalNames.path(LocalNames.text(directory) + "/" + OctetText.decode(name));
    }

    /** What is below a directory, as {@code find} lists it: the octets of paths in hex, with contents, sorted. */
    public static List<String> find(Path top) throws IOException {
        List<String> found = new ArrayList<>();
        try (Stream<Path> files = Files.walk(top)) {
            for (Path file : files.filter(each -> !each.equals(top)).toList()) {
                ByteArrayOutputStream line = new ByteArrayOutputStream();
                line.writeBytes(OctetText.encode(LocalNames.text(top.relativize(file))));
                line.write('=');
                if (Files.isSymbolicLink(file)) {
                    line.writeBytes(OctetText.encode("->" + LocalNames.text(Files.readSymbolicLink(file))));
                } else if (Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
                    line.writeBytes(Files.readAllBytes(file));
                }
                found.add(HexFormat.of().formatHex(line.toByteArray()));
            }
        }
        Collections.sort(found);
        return found;
    }
}
