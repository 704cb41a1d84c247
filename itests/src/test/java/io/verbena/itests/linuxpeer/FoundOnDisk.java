package io.verbena.itests.linuxpeer;

import io.verbena.itests.linuxpeer.ConfirmedTree.ThingType;
import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;

/**
 * An object in a directory of the guest.
 *
 * @param mode its permissions
 * @param links the number of names
 * @param content a file's SHA-256, a symbolic link's target, empty for a directory
 */
record FoundOnDisk(ThingType type, int mode, long links, long size, String content) {
    private static final String LIST =
            """
            import hashlib, os, stat, sys
            os.chdir(sys.argv[1])
            for folder, folders, files in os.walk('.'):
                for name in folders + files:
                    path = os.path.join(folder, name)
                    s = os.lstat(path)
                    if stat.S_ISDIR(s.st_mode):
                        kind, content = 'DIRECTORY', ''
                    elif stat.S_ISLNK(s.st_mode):
                        kind, content = 'LINK', os.readlink(path)
                    else:
                        kind, content = 'FILE', hashlib.sha256(open(path, 'rb').read()).hexdigest()
                    print(path[1:], kind, stat.S_IMODE(s.st_mode), s.st_nlink, s.st_size, content, sep='\\t')
            """;

    /** All objects below a directory of the guest, by paths relative to it that begin with a slash. */
    static Map<String, FoundOnDisk> below(LinuxGuest guest, String directory) throws IOException, InterruptedException {
        Map<String, FoundOnDisk> found = new TreeMap<>();
        String printed = guest.run("python3 - " + directory + " <<'PROGRAM'\n" + LIST + "PROGRAM");
        for (String line : printed.lines().toList()) {
            String[] parts = line.split("\t", -1);
            found.put(
                    parts[0],
                    new FoundOnDisk(
                            ThingType.valueOf(parts[1]),
                            Integer.parseInt(parts[2]),
                            Long.parseLong(parts[3]),
                            Long.parseLong(parts[4]),
                            parts[5]));
        }
        return found;
    }
}
