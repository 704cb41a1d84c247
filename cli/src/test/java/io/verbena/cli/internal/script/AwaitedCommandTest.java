package io.verbena.cli.internal.script;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.cli.CommandFailure;
import io.verbena.cli.ExitStatus;
import io.verbena.cli.SharedThreadIo;
import io.verbena.cli.internal.script.AwaitedCommand.Pauses;
import io.verbena.cli.internal.script.CommandSources.Prospect;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.apache.felix.gogo.runtime.CommandProcessorImpl;
import org.apache.felix.service.command.CommandSession;
import org.apache.felix.service.command.Function;
import org.apache.karaf.shell.impl.console.RegistryImpl;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class AwaitedCommandTest {
    private final CommandSession session = new CommandProcessorImpl(SharedThreadIo.get())
            .createSession(
                    InputStream.nullInputStream(),
                    new PrintStream(new ByteArrayOutputStream()),
                    new PrintStream(new ByteArrayOutputStream()));
    private Prospect prospect = new Prospect(true, false, Optional.of("the bundle b has not started"));
    private List<String> declared = List.of();
    private long changes;
    private int pauses;
    private Duration pauseLength = Duration.ofSeconds(1);

    /** What happens in each pause. */
    private Runnable world = () -> {};

    private final class Sources implements CommandSources {
        @Override
        public Prospect of(String name) {
            return prospect;
        }

        @Override
        public List<String> names() {
            return declared;
        }

        @Override
        public long changes() {
            return changes;
        }
    }

    /** A clock that only pauses move. */
    private final class Steps implements Pauses {
        @Override
        public long nanoTime() {
            return pauses * pauseLength.toNanos();
        }

        @Override
        public void pause() {
            pauses++;
            world.run();
        }
    }

    private Object await() throws Exception {
        return await("nfs:mount");
    }

    private Object await(String name) throws Exception {
        return new AwaitedCommand(new RegistryImpl(null), new Sources(), new Steps())
                .execute(session, List.of(name, "a", "b"));
    }

    private void register() {
        session.put("nfs:mount", (Function) (unused, words) -> words);
    }

    @Test
    void runsTheCommandAsSoonAsItIsThere() throws Exception {
        register();
        assertThat(await()).isEqualTo(List.of("a", "b"));
        assertThat(pauses).isZero();
    }

    @Test
    void waitsHoweverLongOnePauseTakesOnABusyHost() throws Exception {
        pauseLength = Duration.ofMinutes(10);
        world = () -> {
            changes++;
            if (pauses == 50) {
                register();
            }
        };
        assertThat(await()).isEqualTo(List.of("a", "b"));
    }

    @Test
    void runsACommandThatCameInALongLastPause() throws Exception {
        pauseLength = Duration.ofHours(1);
        world = this::register;
        assertThat(await()).isEqualTo(List.of("a", "b"));
    }

    @Test
    void failsAtOnceIfNoBundleHasTheCommand() {
        prospect = Prospect.NONE;
        assertThatThrownBy(this::await)
                .hasMessage("no such command: nfs:mount")
                .extracting(failure -> ((CommandFailure) failure).status())
                .isEqualTo(ExitStatus.USAGE);
        assertThat(pauses).isZero();
    }

    @ParameterizedTest
    @CsvSource({"nfs:mont, nfs:mount", "mont, nfs:mount", "bundle:lst, bundle:list"})
    void namesTheNearestCommandThatABundleDeclaresAndHasNotRegistered(String given, String nearest) {
        prospect = Prospect.NONE;
        declared = List.of("nfs:mounts", "nfs:mount", "bundle:list");
        assertThatThrownBy(() -> await(given))
                .hasMessage("no such command: " + given + "; did you mean '" + nearest + "'?");
        assertThat(pauses).isZero();
    }

    @Test
    void namesNoCommandThatIsNotAlike() {
        prospect = Prospect.NONE;
        declared = List.of("nfs:mounts", "bundle:list");
        assertThatThrownBy(() -> await("bogus")).hasMessage("no such command: bogus");
    }

    @Test
    void failsAtOnceIfTheBundleIsStopped() {
        prospect = new Prospect(true, true, Optional.of("the bundle b is stopped: bundle:start starts it"));
        assertThatThrownBy(this::await)
                .hasMessage("the command nfs:mount is not there: the bundle b is stopped: bundle:start starts it")
                .extracting(failure -> ((CommandFailure) failure).status())
                .isEqualTo(ExitStatus.NO_CONNECTION);
        assertThat(pauses).isZero();
    }

    @Test
    void givesUpWithTheReasonAfterAMinuteWithoutAnyChange() {
        world = () -> changes = Math.min(pauses, 30);
        assertThatThrownBy(this::await).hasMessage("the command nfs:mount is not there: the bundle b has not started");
        assertThat(pauses).isEqualTo(90);
    }
}
