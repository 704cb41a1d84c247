package io.verbena.cli.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.cli.ExitStatus;
import io.verbena.fuse.FuseMount;
import io.verbena.fuse.FuseMounts;
import io.verbena.fuse.FuseSettings;
import io.verbena.nfs.Mount;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** {@code nfs:fuse} without a kernel. */
class FuseCommandTest extends ShellTest {
    private final List<Shown> shown = new ArrayList<>();
    /** Why no directory can be mounted at; null where one can. */
    private IOException refusal;
    /** Why no directory can be unmounted; null where one can. */
    private IOException busy;

    private final class Shown implements FuseMount {
        private final String mount;
        private final Path directory;
        private final FuseSettings settings;
        private final IOException failure;

        Shown(String mount, Path directory, FuseSettings settings, IOException failure) {
            this.mount = mount;
            this.directory = directory;
            this.settings = settings;
            this.failure = failure;
        }

        @Override
        public String mount() {
            return mount;
        }

        @Override
        public Path directory() {
            return directory;
        }

        @Override
        public Map<String, String> settings() {
            return Map.of();
        }

        @Override
        public void unmount(boolean force, Duration timeout) throws IOException {
            if (busy != null && !force) {
                throw busy;
            }
            shown.remove(this);
        }

        /** umount(8) ends it at once. */
        @Override
        public boolean awaitEnd(Duration timeout) {
            shown.remove(this);
            return true;
        }

        @Override
        public Optional<IOException> failure() {
            return Optional.ofNullable(failure);
        }
    }

    private final class Kernel implements FuseMounts {
        private final IOException failure;

        Kernel(IOException failure) {
            this.failure = failure;
        }

        @Override
        public FuseMount mount(String mount, Path directory, FuseSettings settings) throws IOException {
            if (refusal != null) {
                throw refusal;
            }
            Shown made = new Shown(mount, directory, settings, failure);
            shown.add(made);
            return made;
        }

        @Override
        public List<FuseMount> all() {
            return List.copyOf(shown);
        }

        @Override
        public Optional<FuseMount> at(Path directory) {
            return shown.stream()
                    .filter(each -> each.directory().equals(directory))
                    .map(FuseMount.class::cast)
                    .findFirst();
        }
    }

    private Object optionsOf(String mount) {
        return host.configurations().get(Mount.PID + "~" + mount).get(Mount.OPTIONS);
    }

    @Test
    void shouldMakeAHardMountThatGoesWithTheDirectory() throws Exception {
        fuse.setService(new Kernel(null));
        shell.run("nfs:fuse -o port=2050 server:/export " + local);
        assertThat(shown).hasSize(1);
        String name = shown.get(0).mount();
        assertThat(name).startsWith("fuse-");
        assertThat(shown.get(0).directory()).isEqualTo(local);
        assertThat(shown.get(0).settings).isEqualTo(new FuseSettings(true, false));
        assertThat(optionsOf(name)).isEqualTo("port=2050,hard,links=off");

        shell.run("nfs:fuse --unmount " + local);
        assertThat(shown).isEmpty();
        assertThat(host.configurations()).isEmpty();
    }

    @Test
    void shouldLeaveAMountThatWasThereBefore() throws Exception {
        fuse.setService(new Kernel(null));
        shell.run("nfs:mount server:/export docs");
        shell.run("nfs:fuse --only-me docs: " + local);
        assertThat(shown.get(0).mount()).isEqualTo("docs");
        assertThat(shown.get(0).settings.allowOther()).isFalse();

        shell.run("nfs:fuse --unmount " + local);
        assertThat(host.configurations()).containsOnlyKeys(Mount.PID + "~docs");
    }

    @Test
    void shouldLeaveAMountOfTheUserWhateverItsName() throws Exception {
        fuse.setService(new Kernel(null));
        shell.run("nfs:mount server:/export fuse-docs");
        shell.run("nfs:fuse fuse-docs: " + local);
        shell.run("nfs:fuse --unmount " + local);
        assertThat(host.configurations()).containsOnlyKeys(Mount.PID + "~fuse-docs");
        shell.run("nfs:fuse --foreground fuse-docs: " + local);
        assertThat(host.configurations()).containsOnlyKeys(Mount.PID + "~fuse-docs");
    }

    @Test
    void shouldKeepItsMountWhileAnotherDirectoryShowsIt() throws Exception {
        fuse.setService(new Kernel(null));
        shell.run("nfs:fuse server:/export " + local);
        shell.run("nfs:fuse " + shown.get(0).mount() + ": " + served);
        shell.run("nfs:fuse --unmount " + local);
        assertThat(host.configurations()).hasSize(1);
        shell.run("nfs:fuse --unmount " + served);
        assertThat(host.configurations()).isEmpty();
    }

    @Test
    void shouldLetSoftOfTheUserCount() throws Exception {
        fuse.setService(new Kernel(null));
        shell.run("nfs:fuse -o soft server:/export " + local);
        assertThat(optionsOf(shown.get(0).mount())).isEqualTo("soft,links=off");
    }

    @Test
    void shouldLeaveNothingWhereTheHostCannotMount() {
        fuse.setService(new Kernel(null));
        refusal = new IOException("there is no /dev/fuse here: load the module fuse");
        assertFails("nfs:fuse server:/export " + local).hasMessageContaining("there is no /dev/fuse here");
        assertThat(host.configurations()).isEmpty();
        assertThat(host.mounts().all()).isEmpty();
    }

    @Test
    void shouldSayWhatIsMissingOrWrong() {
        assertFails(ExitStatus.NO_CONNECTION, "nfs:fuse server:/export " + local)
                .hasMessage("nothing here can mount at a directory: is the bundle io.verbena.fuse started?");
        assertThat(host.configurations()).isEmpty();
        fuse.setService(new Kernel(null));
        assertFails(ExitStatus.USAGE, "nfs:fuse server:/export")
                .hasMessage("where is it to be mounted? nfs:fuse SOURCE DIR");
        assertFails(ExitStatus.USAGE, "nfs:fuse --force server:/export " + local)
                .hasMessage("--force goes with --unmount");
        assertFails(ExitStatus.USAGE, "nfs:fuse --unmount " + local + " " + local)
                .hasMessage("--unmount wants the directory alone");
        assertFails(ExitStatus.NOT_FOUND, "nfs:fuse --unmount " + local)
                .hasMessageContaining("is no mount of this process");
    }

    @Test
    void shouldKeepADirectoryThatIsInUseUnlessItIsForced() throws Exception {
        fuse.setService(new Kernel(null));
        shell.run("nfs:fuse server:/export " + local);
        busy = new IOException("a program uses it");
        assertFails("nfs:fuse --unmount " + local).hasMessageContaining("a program uses it");
        assertThat(shown).hasSize(1);
        assertThat(host.configurations()).hasSize(1);

        shell.run("nfs:fuse --unmount --force " + local);
        assertThat(shown).isEmpty();
        assertThat(host.configurations()).isEmpty();
    }

    @Test
    void shouldStayInTheForegroundUntilItIsUnmountedAndTellWhatWasLost() throws Exception {
        fuse.setService(new Kernel(null));
        shell.run("nfs:fuse --foreground server:/export " + local);
        assertThat(host.configurations()).isEmpty();

        fuse.setService(new Kernel(new IOException("f was not written: disk full")));
        assertFails("nfs:fuse --foreground server:/export " + local).hasMessageContaining("f was not written");
    }
}
