package io.verbena.itests.linuxpeer;

import io.verbena.itests.model.Driver;
import io.verbena.itests.model.Kind;
import io.verbena.itests.model.MountPair;
import io.verbena.itests.model.Mounted;
import io.verbena.itests.model.Plan;
import io.verbena.itests.model.Side;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Two mounts of Linux's server behave like the model in memory: see {@link Driver}. The system properties of the model
 * test apply here as well: {@code mvn -q -pl itests -am verify -Plinux-peer -Dtest=none -Dit.test=KnfsdModelIT
 * -Dsurefire.failIfNoSpecifiedTests=false -Dverbena.model.steps=100000}.
 */
@AgainstLinux(judged = false)
@Timeout(7200)
class KnfsdModelIT {
    private static final int STEPS = 400;
    /** On ext4: READs that start in a hole of a file on tmpfs get wrong data, see docs/interoperability.md. */
    private static final String EXPORT = "/disk";

    private static final String FOLDER = "/model";

    private final LinuxGuest guest;

    KnfsdModelIT(LinuxGuest guest) {
        this.guest = guest;
    }

    @BeforeEach
    void makeFolder() throws Exception {
        guest.run("mkdir /export" + EXPORT + FOLDER);
    }

    @AfterEach
    void removeFolder() throws Exception {
        guest.run("rm -r /export" + EXPORT + FOLDER);
    }

    @ParameterizedTest
    @CsvSource({"'', ''", "'delegations=off,rsize=4096,wsize=4096', 'slots=4,wsize=2048'"})
    void shouldDoWhatTheModelDoes(String one, String other) throws Exception {
        Plan plan = Plan.of(STEPS).without(Kind.CUT); // Linux 6.1 does not survive every cut
        System.out.println("KnfsdModelIT: " + plan);
        try (MountPair pair = new KnfsdMountPair(one, other)) {
            new Driver(plan, pair).drive();
        }
    }

    private final class KnfsdMountPair implements MountPair {
        private final List<Mounted> mounts = new ArrayList<>();

        KnfsdMountPair(String... options) throws IOException {
            for (String each : options) {
                mounts.add(new Mounted(guest.nfs(), EXPORT, each, mounts.size(), FOLDER));
            }
        }

        @Override
        public Side side(int number) {
            return mounts.get(number).side();
        }

        @Override
        public boolean cut() {
            return false;
        }

        @Override
        public boolean swap(int number) {
            mounts.get(number).swap();
            return true;
        }

        @Override
        public boolean reconnect(int number) throws IOException {
            mounts.get(number).reconnect();
            return true;
        }

        @Override
        public Optional<byte[]> content(String name) throws IOException {
            try {
                String text = guest.run("base64 -w 0 /export" + EXPORT + FOLDER + "/" + name);
                return Optional.of(Base64.getDecoder().decode(text.strip()));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException("interrupted", e);
            }
        }

        /**
         * The server preserves a removed file that the same client has open, but not one that another client has open.
         */
        @Override
        public boolean preservesUnlinked() {
            return false;
        }

        @Override
        public void close() throws IOException {
            for (Mounted mount : mounts) {
                mount.close();
            }
        }
    }
}
