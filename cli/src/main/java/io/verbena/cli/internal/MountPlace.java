package io.verbena.cli.internal;

import io.verbena.cli.Text;
import io.verbena.nfs.Mount;
import io.verbena.nfs.MountOption;
import io.verbena.nfs.MountOptions;
import java.util.Map;

/** The place that a mount refers to. If the place changes, the paths of the mount lead to other files. */
record MountPlace(String server, String export, int port) {
    /** Returns the place of a mount with the given configuration. */
    static MountPlace of(Map<String, ?> properties) {
        return new MountPlace(
                text(properties, Mount.SERVER), text(properties, Mount.EXPORT), port(text(properties, Mount.OPTIONS)));
    }

    private static String text(Map<String, ?> properties, String key) {
        Object value = properties.get(key);
        return value == null ? "" : value.toString();
    }

    private static int port(String options) {
        try {
            return MountOptions.parse(options).number(MountOption.PORT);
        } catch (IllegalArgumentException e) {
            return 0; // the mount reports an invalid configuration itself
        }
    }

    @Override
    public String toString() {
        return Text.printable(server + ":" + export) + " (port " + port + ")";
    }
}
