package io.verbena.cli.rdma.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.cli.ExitStatus;
import io.verbena.cli.Shell;
import io.verbena.verbs.trace.TraceStatus;
import io.verbena.verbs.trace.WireTrace;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests rdma:trace, as a user types it. */
class TraceCommandTest {
    private final RdmaServices services = new RdmaServices();
    private final Fake trace = new Fake();
    private Shell shell;

    /** A trace that writes nothing. */
    private static final class Fake implements WireTrace {
        private TraceStatus running;

        @Override
        public TraceStatus start(Path file, boolean overwrite) throws FileAlreadyExistsException {
            if (running != null) {
                throw new IllegalStateException("a trace to " + running.file() + " runs already: stop it first");
            }
            if (!overwrite) {
                throw new FileAlreadyExistsException(file.toString());
            }
            running = new TraceStatus(file, Instant.EPOCH, 2, 30, 4000, 5, null);
            return running;
        }

        @Override
        public TraceStatus stop() {
            if (running == null) {
                throw new IllegalStateException("no trace runs");
            }
            TraceStatus ended = running;
            running = null;
            return ended;
        }

        @Override
        public Optional<TraceStatus> status() {
            return Optional.ofNullable(running);
        }
    }

    @BeforeEach
    void start() throws Exception {
        shell = new Shell(RdmaServices.class, services);
    }

    @AfterEach
    void stop() {
        shell.close();
    }

    @Test
    void shouldStartTellAndStop() throws Exception {
        services.setTrace(trace);

        assertThat(shell.run("rdma:trace status")).isEqualTo("no trace runs\n");
        assertThat(shell.run("rdma:trace --force start /tmp/a.pcapng")).isEqualTo("tracing to /tmp/a.pcapng\n");
        assertThat(shell.run("rdma:trace status"))
                .isEqualTo("tracing since 1970-01-01T00:00:00Z: 30 frames, 4000 octets, of 2 connections to"
                        + " /tmp/a.pcapng, 5 dropped\n");
        assertFails("rdma:trace start b", ExitStatus.FAILED, "a trace to /tmp/a.pcapng runs already: stop it first");
        assertThat(shell.run("rdma:trace stop"))
                .isEqualTo("traced 30 frames, 4000 octets, of 2 connections to /tmp/a.pcapng, 5 dropped\n");
        assertFails("rdma:trace stop", ExitStatus.FAILED, "no trace runs");
    }

    @Test
    void shouldRefuseWhatCannotBeDone() {
        assertFails("rdma:trace status", ExitStatus.NO_CONNECTION, "the bundle io.verbena.verbs.trace is not started");
        services.setTrace(trace);
        assertFails("rdma:trace start", ExitStatus.USAGE, "name the file to write: rdma:trace start FILE");
        assertFails("rdma:trace stop file", ExitStatus.USAGE, "only start takes a file");
        assertFails("rdma:trace begin", ExitStatus.USAGE, "rdma:trace takes start, stop or status, not 'begin'");
        assertFails("rdma:trace start /tmp/there", ExitStatus.FAILED, "/tmp/there: already exists");
        services.unsetTrace(trace);
        assertFails("rdma:trace status", ExitStatus.NO_CONNECTION, "the bundle io.verbena.verbs.trace is not started");
    }

    private void assertFails(String command, ExitStatus status, String message) {
        assertThatThrownBy(() -> shell.run(command))
                .satisfies(failure -> assertThat(ExitStatus.of(failure)).isEqualTo(status))
                .hasMessage(message);
    }

    @Test
    void shouldCompleteWhatItCanDo() {
        assertThat(shell.complete("rdma:trace", "st")).contains("start", "status", "stop");
    }
}
