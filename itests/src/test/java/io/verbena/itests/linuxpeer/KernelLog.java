package io.verbena.itests.linuxpeer;

import java.io.IOException;
import java.util.List;
import java.util.UUID;
import java.util.regex.Pattern;

/** The messages that the guest's kernel has logged since this object was created. */
final class KernelLog {
    /** Messages that no test may cause, and all messages of the client, its transport and the soft RDMA driver. */
    private static final Pattern CONCERNS = Pattern.compile("WARNING|BUG|Oops|Call Trace|blocked for more than"
            + "|rcu.*stall|soft lockup|lockd|siw|rdma|RPC|NFS|nfs(?!d)|sunrpc");

    /**
     * A message about good checksums: siw_get_trailer() reads a trailer again from its start if two buffers share it.
     */
    static final Pattern CRC_ERROR = Pattern.compile("siw: crc error");

    private static final List<Pattern> HARMLESS = List.of(
            CRC_ERROR,
            // modules loaded at the first mount
            Pattern.compile("NFS: Registering the id_resolver key type"),
            Pattern.compile("RPC: Registered .* transport"));

    /** More of them than this fault ever causes would mean bad checksums of our own. */
    private static final int MOST_CRC_ERRORS = 5;

    private final LinuxGuest guest;
    private final String mark = "verbena test " + UUID.randomUUID();

    KernelLog(LinuxGuest guest) throws IOException, InterruptedException {
        this.guest = guest;
        guest.run("echo '" + mark + "' > /dev/kmsg");
    }

    private List<String> lines() throws IOException, InterruptedException {
        List<String> all = guest.run("dmesg").lines().toList();
        for (int i = 0; i < all.size(); i++) {
            if (all.get(i).endsWith(mark)) {
                return all.subList(i + 1, all.size());
            }
        }
        throw new AssertionError("the kernel's log has overrun: what it said first is lost");
    }

    /**
     * The lines that report problems.
     *
     * @param allowed a pattern of messages that the test provokes
     */
    List<String> complaints(String allowed) throws IOException, InterruptedException {
        Pattern provoked = Pattern.compile(allowed);
        List<String> lines = lines();
        List<String> crcErrors =
                lines.stream().filter(line -> CRC_ERROR.matcher(line).find()).toList();
        if (crcErrors.size() > MOST_CRC_ERRORS) {
            return crcErrors;
        }
        return lines.stream()
                .filter(line -> CONCERNS.matcher(line).find())
                .filter(line -> HARMLESS.stream()
                        .noneMatch(harmless -> harmless.matcher(line).find()))
                .filter(line -> allowed.isEmpty() || !provoked.matcher(line).find())
                .toList();
    }

    /** How often siw took a good checksum for a bad one and closed the connection. */
    long crcErrors() throws IOException, InterruptedException {
        return lines().stream().filter(line -> CRC_ERROR.matcher(line).find()).count();
    }
}
