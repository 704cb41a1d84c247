package io.verbena.cli.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.cli.ExitStatus;
import io.verbena.cli.Shell;
import java.nio.file.Path;
import org.apache.karaf.shell.support.CommandException;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A shell with every command of this bundle, for tests that type commands. */
abstract class ShellTest {
    /** The directory that mounts show while nothing is exported. */
    @TempDir
    Path served;

    @TempDir
    Path local;

    TestHost host;
    Providers providers;
    FuseServices fuse;
    Shell shell;

    @BeforeEach
    void start() throws Exception {
        host = new TestHost(served);
        providers = new Providers();
        fuse = new FuseServices();
        shell = new Shell(Mounts.class, host.mounts(), host.exports(), providers, fuse);
    }

    @AfterEach
    void stop() {
        shell.close();
        host.close();
    }

    /** Asserts that a command fails with one line. */
    AbstractThrowableAssert<?, ? extends Throwable> assertFails(String command) {
        return assertThatThrownBy(() -> shell.run(command))
                .isInstanceOf(CommandException.class)
                .satisfies(failure -> assertThat(failure.getMessage()).doesNotContain("\n", "Exception"));
    }

    /** Asserts that a command fails with one line and the given status. */
    AbstractThrowableAssert<?, ? extends Throwable> assertFails(ExitStatus status, String command) {
        return assertFails(command)
                .satisfies(failure -> assertThat(ExitStatus.of(failure)).isEqualTo(status));
    }
}
