package io.verbena.itests.linuxpeer;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.itests.Extent;
import io.verbena.itests.Launcher;
import io.verbena.itests.SwapScript;
import io.verbena.nfs41.Opcode;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Replaces bundles in the running distribution while it works on Linux's server, which counts operations. The emulated
 * server is slow, so that a build runs less of it than
 * {@code -Dit.test=KnfsdSwapIT -Dverbena.swap.size=1024 -Dverbena.swap.count=50}.
 */
@AgainstLinux(inside = true, judged = false)
@Timeout(3600)
class KnfsdSwapIT {
    private static final String IN_GUEST = "/export/swap";
    private static final int MEBIBYTES = Extent.of(16, 256);
    private static final int SECONDS_AT_LEAST = 300;
    private static final int MEBIBYTES_A_SECOND_AT_LEAST = 1;
    private static final int SWAPS = Extent.of(6, 50);
    private static final int PIECE = 16;

    /**
     * Options with which an emulated server executes all requests in flight in some tenths of a second instead of some
     * seconds.
     */
    private static final String OPTIONS = "slots=8,rsize=262144,wsize=262144,port=";

    @TempDir
    private Path folder;

    private final LinuxGuest guest;

    KnfsdSwapIT(LinuxGuest guest) {
        this.guest = guest;
    }

    @BeforeEach
    void setUp() throws Exception {
        guest.run("mkdir " + IN_GUEST + "; mount -o remount,size=3400m /export");
    }

    @AfterEach
    void tidyUp() throws Exception {
        guest.run("rm -rf " + IN_GUEST);
    }

    @Test
    void shouldLoseAndRepeatNothingWhileBundlesAreReplaced() throws Exception {
        int mebibytes = Integer.getInteger("verbena.swap.size", MEBIBYTES);
        String digest = makeSource(mebibytes);
        long renames = count(Opcode.RENAME);
        long creates = count(Opcode.CREATE);

        Launcher.Result run = new Launcher(folder)
                .start(
                        "-c",
                        "nfs:mount -o " + OPTIONS + guest.nfs().getPort() + " 127.0.0.1:/ a\n"
                                + SwapScript.run(folder, "a", MEBIBYTES, SWAPS) + " blocks=4 sourceDigest=" + digest
                                + "\nnfs:unmount a")
                // the file is put and got, and the copy is read back
                .await(SECONDS_AT_LEAST + 3 * mebibytes / MEBIBYTES_A_SECOND_AT_LEAST);

        System.out.println(run.out());
        assertThat(run.status()).as(run.out() + run.err()).isZero();
        assertThat(told(run, "operations met a replaced mount, ([0-9]+) of them without"))
                .isZero();
        long files = told(run, "names: ([0-9]+) files");
        long rounds = told(run, "java.nio: ([0-9]+) rounds");
        // one rename for each file and each round, and one for each copy when it is complete
        assertThat(count(Opcode.RENAME) - renames).isEqualTo(files + rounds + told(run, "transfers: ([0-9]+) puts"));
        assertThat(count(Opcode.CREATE) - creates)
                .as("directories, and those of both loads")
                .isEqualTo(files + rounds + 2);
    }

    /** Several copies of random octets, each behind a line, so that no two blocks are the same. */
    private String makeSource(int mebibytes) throws Exception {
        guest.run("cd " + IN_GUEST + "; head -c " + PIECE + "M /dev/urandom > piece; for i in $(seq "
                + mebibytes / PIECE + "); do echo $i; cat piece; done > source; rm piece");
        return guest.run("sha256sum " + IN_GUEST + "/source").substring(0, 64);
    }

    /** How often the server has executed an operation, without replies from its reply cache. */
    private long count(int opcode) throws Exception {
        String[] counts = guest.run("grep ^proc4ops /proc/net/rpc/nfsd").trim().split(" ", -1);
        return Long.parseLong(counts[2 + opcode]);
    }

    private static long told(Launcher.Result run, String pattern) {
        Matcher found = Pattern.compile(pattern).matcher(run.out());
        assertThat(found.find()).as(run.out()).isTrue();
        return Long.parseLong(found.group(1));
    }
}
