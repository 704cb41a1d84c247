package io.verbena.nfs41.client.internal;

import io.verbena.nfs.MountOption;
import io.verbena.nfs.MountOptions;
import io.verbena.rpc.Credential;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Who a mount's calls are made as. */
final class Credentials {
    private static final long MAX_ID = 0xffffffffL;
    private static final int NOBODY = 65534;
    private static final Path SELF = Path.of("/proc/self");

    private Credentials() {}

    /** @throws IllegalArgumentException for a user or group that is no number */
    static Credential of(MountOptions options) {
        if (options.get(MountOption.SEC).equals("none")) {
            return Credential.none();
        }
        int uid = id(options, MountOption.UID, "unix:uid");
        int gid = id(options, MountOption.GID, "unix:gid");
        String machine = options.get(MountOption.MACHINE);
        return new Credential.Sys(0, machine.isEmpty() ? "localhost" : machine, uid, gid, groups(options));
    }

    private static int id(MountOptions options, MountOption option, String attribute) {
        String value = options.get(option);
        return value.isEmpty() ? ofProcess(attribute) : parse(option, value);
    }

    private static List<Integer> groups(MountOptions options) {
        List<Integer> groups = new ArrayList<>();
        String value = options.get(MountOption.GROUPS);
        for (String group : value.isEmpty() ? new String[0] : value.split(":", -1)) {
            groups.add(parse(MountOption.GROUPS, group));
        }
        if (groups.size() > Credential.Sys.MAX_GROUPS) {
            throw new IllegalArgumentException("mount option 'groups' has " + groups.size()
                    + " groups: AUTH_SYS holds at most " + Credential.Sys.MAX_GROUPS);
        }
        return groups;
    }

    private static int parse(MountOption option, String value) {
        if (value.matches("[0-9]{1,10}")) {
            long id = Long.parseLong(value);
            if (id <= MAX_ID) {
                return (int) id;
            }
        }
        throw new IllegalArgumentException(
                "mount option '" + option.key() + "' cannot be '" + value + "': a number from 0 to " + MAX_ID);
    }

    /** The user or group that this process runs as; nobody where the system does not tell. */
    private static int ofProcess(String attribute) {
        try {
            return (Integer) Files.getAttribute(SELF, attribute);
        } catch (IOException | UnsupportedOperationException e) {
            return NOBODY;
        }
    }
}
