package io.verbena.hadoop.internal.settings;

import java.io.IOException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.util.VersionInfo;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Compares the Hadoop that is on the class path with the versions that this module is for. */
public final class HadoopVersion {
    private static final Logger LOG = LoggerFactory.getLogger(HadoopVersion.class);
    private static final Pattern VERSION = Pattern.compile("([0-9]{1,4})\\.([0-9]{1,4})(\\..*)?");
    private static final int MAJOR = 3;
    private static final int OLDEST_MINOR = 4;
    private static final int NEWEST_MINOR = 5;

    private HadoopVersion() {}

    /**
     * Checks the version of this process. An older one is refused; a newer one is logged as untested.
     *
     * @throws IOException for an older version; the message says what to do
     */
    public static void check() throws IOException {
        check(VersionInfo.getVersion());
    }

    static void check(String version) throws IOException {
        Matcher parts = VERSION.matcher(version);
        if (!parts.matches()) {
            LOG.warn(
                    "Hadoop on the class path has the unknown version '{}'; verbena-hadoop is for 3.4 and 3.5",
                    version);
            return;
        }
        int major = Integer.parseInt(parts.group(1));
        int minor = Integer.parseInt(parts.group(2));
        if (major < MAJOR || (major == MAJOR && minor < OLDEST_MINOR)) {
            throw new IOException("verbena-hadoop is for Hadoop 3.4 and 3.5, and the class path has Hadoop " + version
                    + ": use the jars of Hadoop 3.4 or 3.5");
        }
        if (major > MAJOR || minor > NEWEST_MINOR) {
            LOG.warn("verbena-hadoop was tested with Hadoop 3.4 and 3.5; the class path has Hadoop {}", version);
        }
    }
}
