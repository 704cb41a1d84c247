package io.verbena.fuse.internal.session;

import io.verbena.fuse.FuseSettings;
import io.verbena.fuse.internal.kernel.Kernel;
import io.verbena.nfs.Mount;
import io.verbena.nfs.MountOption;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What the options of the server's mount mean for the mount of this host.
 *
 * @param uid the user of the calls
 * @param gid the group of the calls
 * @param valid how long the kernel may use names and attributes without asking
 * @param cached whether data is cached, and writes are answered before the server has answered them
 * @param gives whether new objects are given to the users who make them
 */
record MountView(int uid, int gid, Duration valid, boolean cached, boolean gives) {
    static MountView of(Mount mount, FuseSettings settings, Kernel kernel) {
        Map<String, String> told = mount.settings();
        boolean cached = !"false".equals(told.get(MountOption.AC.key()));
        int uid = id(told.get(MountOption.UID.key()), kernel.uid());
        return new MountView(
                uid,
                id(told.get(MountOption.GID.key()), kernel.gid()),
                cached ? Duration.ofSeconds(number(told.get(MountOption.ACTIMEO.key()))) : Duration.ZERO,
                cached,
                settings.allowOther() && uid == 0);
    }

    private static int id(String text, int otherwise) {
        return text == null || text.isEmpty() ? otherwise : (int) Long.parseLong(text);
    }

    private static long number(String text) {
        return Long.parseLong(text == null || text.isEmpty() ? MountOption.ACTIMEO.defaultValue() : text);
    }

    /** For people. */
    Map<String, String> shown(FuseSettings settings) {
        Map<String, String> all = new LinkedHashMap<>();
        all.put("users", settings.allowOther() ? "all" : "only who mounts");
        all.put("asks as", "uid " + Integer.toUnsignedString(uid) + ", gid " + Integer.toUnsignedString(gid));
        all.put("new files belong to", gives ? "who makes them" : "uid " + Integer.toUnsignedString(uid));
        all.put("attributes", valid.toSeconds() + " s");
        all.put("access", settings.readOnly() ? "ro" : "rw");
        return all;
    }
}
