package io.verbena.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nfs.Mount;
import io.verbena.nfs.Waiting;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What a user reads where a command stands still. */
class WaitingNoticeTest {
    private static final Instant START = Instant.parse("2030-01-01T00:00:00Z");

    private final ByteArrayOutputStream errors = new ByteArrayOutputStream();
    private Optional<Waiting> waiting = Optional.empty();
    private final Mount mount = (Mount) Proxy.newProxyInstance(
            Mount.class.getClassLoader(),
            new Class<?>[] {Mount.class},
            (proxy, method, arguments) -> method.getName().equals("name") ? "docs" : waiting);
    private final WaitingNotice notice =
            new WaitingNotice(() -> List.of(mount), new PrintStream(errors, true, StandardCharsets.UTF_8));

    private static Optional<Waiting> wait(String status) {
        return Optional.of(new Waiting(status, START, Duration.ofSeconds(90), "OPEN waits: so it is (" + status + ")"));
    }

    private String told() {
        return errors.toString(StandardCharsets.UTF_8);
    }

    @Test
    void shouldTellOnceOfAWaitThatLasts() {
        notice.look(START);
        waiting = wait("NFS4ERR_DELAY");
        notice.look(START.plusMillis(1999));
        assertThat(told()).isEmpty();
        notice.look(START.plusSeconds(2));
        notice.look(START.plusSeconds(3));
        assertThat(told().lines()).containsExactly("waiting: mount docs: OPEN waits: so it is (NFS4ERR_DELAY)");
        waiting = wait("NFS4ERR_GRACE");
        notice.look(START.plusSeconds(4));
        assertThat(told().lines()).hasSize(2);
    }
}
