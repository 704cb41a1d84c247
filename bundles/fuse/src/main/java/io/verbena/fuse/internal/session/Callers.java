package io.verbena.fuse.internal.session;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What /proc tells of the threads that ask. The kernel tells of the first signal alone, which may be one that a program
 * handles; as with Linux's NFS client, only a signal that kills ends a request. Stateless.
 */
final class Callers {
    private static final Logger LOG = LoggerFactory.getLogger(Callers.class);
    private static final long KILL = 1L << (9 - 1);
    /** SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGXCPU, SIGXFSZ, SIGSYS: they leave a core. */
    private static final long CORE = bits(3, 4, 5, 6, 7, 8, 11, 24, 25, 31);

    private static final long EXITING = 0x4;

    private Callers() {}

    private static long bits(int... signals) {
        long bits = 0;
        for (int signal : signals) {
            bits |= 1L << (signal - 1);
        }
        return bits;
    }

    /** Whether a thread is being killed, or has gone. */
    static boolean isKilled(int thread) {
        try {
            List<String> status =
                    Files.readAllLines(Path.of("/proc/" + thread + "/status"), StandardCharsets.ISO_8859_1);
            long pending = mask(status, "SigPnd:") | mask(status, "ShdPnd:");
            long kept = mask(status, "SigBlk:") | mask(status, "SigIgn:") | mask(status, "SigCgt:");
            return (pending & KILL) != 0 || (pending & ~kept & CORE) != 0;
        } catch (IOException e) {
            LOG.debug("thread {} has gone", thread, e);
            return true;
        }
    }

    private static long mask(List<String> status, String key) {
        for (String line : status) {
            if (line.startsWith(key)) {
                return Long.parseUnsignedLong(line.substring(key.length()).strip(), 16);
            }
        }
        return 0;
    }

    /** Whether a thread is at its end already, so that no signal reaches it, or has gone. */
    static boolean isExiting(int thread) {
        try {
            String stat = Files.readString(Path.of("/proc/" + thread + "/stat"), StandardCharsets.ISO_8859_1);
            String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
            return (Long.parseLong(fields[6]) & EXITING) != 0;
        } catch (IOException e) {
            LOG.debug("thread {} has gone", thread, e);
            return true;
        }
    }
}
