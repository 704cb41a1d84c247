package io.verbena.nfs41.client.internal.util;

import io.verbena.nfs.MountOption;
import io.verbena.nfs.MountOptions;
import io.verbena.rpc.Credential;
import io.verbena.rpc.LocalUser;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** The RPC credential of a mount's calls, made from its options. */
final class MountCredentials {
    private static final long MAX_ID = 0xffffffffL;

    private MountCredentials() {}

    /** @throws IllegalArgumentException for a user or group that is no number */
    static Credential of(MountOptions options) {
        if (options.get(MountOption.SEC).equals("none")) {
            return Credential.none();
        }
        LocalUser user = isComplete(options) ? null : localUser();
        String machine = options.get(MountOption.MACHINE);
        return new Credential.Sys(
                0,
                machine.isEmpty() && user != null ? user.machineName() : machine,
                options.get(MountOption.UID).isEmpty() ? user.uid() : id(options, MountOption.UID),
                options.get(MountOption.GID).isEmpty() ? user.gid() : id(options, MountOption.GID),
                groups(options, user));
    }

    private static boolean isComplete(MountOptions options) {
        return !options.get(MountOption.UID).isEmpty()
                && !options.get(MountOption.GID).isEmpty()
                && !options.get(MountOption.MACHINE).isEmpty();
    }

    private static LocalUser localUser() {
        try {
            return LocalUser.current();
        } catch (IOException e) {
            throw new IllegalArgumentException(
                    "cannot tell whom this process runs as (" + e.getMessage()
                            + "): give the mount options uid, gid and machine",
                    e);
        }
    }

    private static int id(MountOptions options, MountOption option) {
        return parse(option, options.get(option));
    }

    /** The given groups; the groups of the process where no groups, user or group are given. */
    private static List<Integer> groups(MountOptions options, LocalUser user) {
        String value = options.get(MountOption.GROUPS);
        boolean itself = options.get(MountOption.UID).isEmpty()
                && options.get(MountOption.GID).isEmpty();
        if (value.isEmpty()) {
            return itself && user != null ? user.groups() : List.of();
        }
        List<Integer> groups = new ArrayList<>();
        for (String group : value.split(":", -1)) {
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
}
