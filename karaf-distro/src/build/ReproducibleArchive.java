import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;

/**
 * Takes out of the distribution what differs from build to build: the date that Java writes into a file of properties,
 * and the order, times, owners and modes of the archive's entries. Two builds of the same sources have the same octets
 * then.
 */
public final class ReproducibleArchive {
    private static final int BLOCK = 512;
    private static final String DATE = "#[A-Z][a-z]{2} [A-Z][a-z]{2} [0-9]{2} [0-9:]{8} .* [0-9]{4}";

    private ReproducibleArchive() {}

    /** Arguments: {@code etc FOLDER}, or {@code archive TAR.GZ TIME}. */
    public static void main(String[] arguments) throws IOException {
        if (arguments[0].equals("etc")) {
            dropDates(Path.of(arguments[1]));
        } else {
            pack(Path.of(arguments[1]), Instant.parse(arguments[2]).getEpochSecond());
        }
    }

    private static void dropDates(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                List<String> lines = Files.readAllLines(file);
                List<String> kept = lines.stream().filter(line -> !line.matches(DATE)).toList();
                if (kept.size() < lines.size()) {
                    Files.write(file, kept);
                }
            }
        }
    }

    private static void pack(Path archive, long seconds) throws IOException {
        Map<String, byte[]> entries = new TreeMap<>();
        try (InputStream in = new GZIPInputStream(Files.newInputStream(archive))) {
            ByteArrayOutputStream entry = new ByteArrayOutputStream();
            String longName = null;
            for (byte[] header = in.readNBytes(BLOCK); header.length == BLOCK; header = in.readNBytes(BLOCK)) {
                if (header[0] == 0) {
                    break; // the end
                }
                int size = (int) octal(header, 124, 12);
                byte[] data = in.readNBytes((size + BLOCK - 1) / BLOCK * BLOCK);
                char type = (char) header[156];
                if (type == 'g') {
                    throw new IOException("a header for all entries, which nothing here makes");
                }
                if (type == 'x') {
                    Map<String, String> kept = pax(data, size);
                    longName = kept.get("path");
                    entry.write(paxEntry(header, kept, seconds));
                    continue;
                }
                clean(header, seconds);
                entry.write(header);
                entry.write(data);
                if (type == 'L') {
                    longName = text(data, 0, size);
                    continue;
                }
                String name = longName != null ? longName : text(header, 345, 155) + "/" + text(header, 0, 100);
                entries.put(name.replaceFirst("^/", ""), entry.toByteArray());
                entry.reset();
                longName = null;
            }
        }
        Path packed = archive.resolveSibling(archive.getFileName() + ".new");
        try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(packed))) {
            for (byte[] entry : entries.values()) {
                out.write(entry);
            }
            out.write(new byte[2 * BLOCK]);
        }
        Files.move(packed, archive, java.nio.file.StandardCopyOption.REPLACE_EXISTING);
    }

    /** The records of an extended header that say more than names: times and owners are left out. */
    private static Map<String, String> pax(byte[] data, int size) {
        Map<String, String> kept = new TreeMap<>();
        for (int at = 0; at < size; ) {
            int blank = at;
            while (data[blank] != ' ') {
                blank++;
            }
            int length = Integer.parseInt(new String(data, at, blank - at, StandardCharsets.UTF_8));
            String record = new String(data, blank + 1, at + length - blank - 2, StandardCharsets.UTF_8);
            String key = record.substring(0, record.indexOf('='));
            if (key.equals("path") || key.equals("linkpath") || key.equals("size")) {
                kept.put(key, record.substring(record.indexOf('=') + 1));
            }
            at += length;
        }
        return kept;
    }

    private static byte[] paxEntry(byte[] header, Map<String, String> records, long seconds) {
        ByteArrayOutputStream data = new ByteArrayOutputStream();
        records.forEach((key, value) -> {
            String record = " " + key + "=" + value + "\n";
            int plain = record.getBytes(StandardCharsets.UTF_8).length;
            int length = plain + Integer.toString(plain).length();
            length = plain + Integer.toString(length).length();
            data.writeBytes((length + record).getBytes(StandardCharsets.UTF_8));
        });
        if (data.size() == 0) {
            return new byte[0];
        }
        put(header, 124, String.format("%011o\0", data.size()));
        clean(header, seconds);
        byte[] entry = Arrays.copyOf(header, BLOCK + (data.size() + BLOCK - 1) / BLOCK * BLOCK);
        System.arraycopy(data.toByteArray(), 0, entry, BLOCK, data.size());
        return entry;
    }

    /** Sets the time, root as the owner, a mode that the umask of the build does not change, and the checksum anew. */
    private static void clean(byte[] header, long seconds) {
        boolean executable = header[156] == '5' || (octal(header, 100, 8) & 0100) != 0;
        put(header, 100, String.format("%07o\0", executable ? 0755 : 0644));
        put(header, 108, String.format("%07o\0", 0));
        put(header, 116, String.format("%07o\0", 0));
        put(header, 136, String.format("%011o\0", seconds));
        Arrays.fill(header, 265, 329, (byte) 0); // names of owner and group
        put(header, 148, "        ");
        int sum = 0;
        for (byte octet : header) {
            sum += octet & 0xff;
        }
        put(header, 148, String.format("%06o\0 ", sum));
    }

    private static void put(byte[] header, int at, String text) {
        byte[] octets = text.getBytes(StandardCharsets.US_ASCII);
        System.arraycopy(octets, 0, header, at, octets.length);
    }

    private static long octal(byte[] header, int at, int length) {
        return Long.parseLong(text(header, at, length).strip(), 8);
    }

    private static String text(byte[] octets, int at, int length) {
        int end = at;
        while (end < at + length && octets[end] != 0) {
            end++;
        }
        return new String(octets, at, end - at, StandardCharsets.UTF_8);
    }
}
