package io.verbena.rpc;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The user that this process runs as, and the default user of {@code AUTH_SYS} calls. The values come from
 * {@code /proc}, or from the program {@code id} where there is no {@code /proc}; no native code is called.
 *
 * @param uid the effective user, an unsigned number of 32 bits
 * @param gid the effective group, likewise
 * @param groups further groups without {@code gid}: the first 16, since {@code AUTH_SYS} holds no more (RFC 5531
 *     appendix A)
 * @param machineName this machine's name, at most 255 octets in UTF-8
 */
public record LocalUser(int uid, int gid, List<Integer> groups, String machineName) {
    private static final Path PROC = Path.of("/proc");
    private static final String ID_COMMAND = "id";
    private static final long ID_TIMEOUT_SECONDS = 10;

    private static final int EFFECTIVE = 1; // of the real, effective, saved and file system ids of /proc/self/status

    public LocalUser {
        groups = List.copyOf(groups);
    }

    /**
     * Finds the current user. Where there is no {@code /proc} this method starts processes and waits for them, for
     * seconds at worst.
     *
     * @throws IOException where the user cannot be found, as on systems without numeric users
     */
    public static LocalUser current() throws IOException {
        return find(PROC, ID_COMMAND);
    }

    /** The user's credential. */
    public Credential.Sys credential() {
        return new Credential.Sys(0, machineName, uid, gid, groups);
    }

    static LocalUser find(Path proc, String idCommand) throws IOException {
        Path status = proc.resolve("self/status");
        String machineName = machineName(proc.resolve("sys/kernel/hostname"));
        if (Files.isReadable(status)) {
            // the file also holds the process's name, in any encoding
            List<String> lines = Files.readAllLines(status, StandardCharsets.ISO_8859_1);
            int uid = pick(statusIds(lines, "Uid:"), EFFECTIVE);
            int gid = pick(statusIds(lines, "Gid:"), EFFECTIVE);
            return of(uid, gid, statusIds(lines, "Groups:"), machineName);
        }
        int uid = pick(ids(run(idCommand, "-u")), 0);
        int gid = pick(ids(run(idCommand, "-g")), 0);
        return of(uid, gid, ids(run(idCommand, "-G")), machineName);
    }

    private static LocalUser of(int uid, int gid, List<Integer> allGroups, String machineName) {
        List<Integer> groups = allGroups.stream()
                .filter(group -> group != gid)
                .distinct()
                .limit(Credential.Sys.MAX_GROUPS)
                .toList();
        return new LocalUser(uid, gid, groups, machineName);
    }

    private static int pick(List<Integer> ids, int index) throws IOException {
        if (index >= ids.size()) {
            throw new IOException("the system tells too few numbers of the user: " + ids);
        }
        return ids.get(index);
    }

    private static List<Integer> statusIds(List<String> lines, String key) throws IOException {
        for (String line : lines) {
            if (line.startsWith(key)) {
                return ids(line.substring(key.length()));
            }
        }
        throw new IOException("no " + key + " in the process's status");
    }

    private static List<Integer> ids(String text) throws IOException {
        List<Integer> ids = new ArrayList<>();
        try {
            for (String id : text.strip().split("\\s+", -1)) {
                if (!id.isEmpty()) {
                    ids.add(Integer.parseUnsignedInt(id));
                }
            }
        } catch (NumberFormatException e) {
            throw new IOException("no numbers of users or groups: " + text.strip(), e);
        }
        return ids;
    }

    private static String run(String command, String option) throws IOException {
        Process process = new ProcessBuilder(command, option)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        try {
            process.getOutputStream().close();
            if (!process.waitFor(ID_TIMEOUT_SECONDS, TimeUnit.SECONDS) || process.exitValue() != 0) {
                throw new IOException(command + " " + option + " does not tell who this process runs as");
            }
            // the output is a few numbers, which stay in the pipe after the end of the process
            return new String(process.getInputStream().readAllBytes(), Charset.defaultCharset());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while asking " + command, e);
        } finally {
            process.destroy();
        }
    }

    private static String machineName(Path kernelHostname) throws IOException {
        String name = Files.isReadable(kernelHostname)
                ? Files.readString(kernelHostname, StandardCharsets.ISO_8859_1).strip()
                : hostName();
        // a long name is cut: it is only for people who read logs
        int end = name.length();
        while (name.substring(0, end).getBytes(StandardCharsets.UTF_8).length > Credential.Sys.MAX_MACHINE_NAME) {
            end--;
        }
        return name.substring(0, end);
    }

    private static String hostName() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "localhost"; // no directory has a name for this machine
        }
    }
}
