package io.verbena.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nfs.DelayedOperation;
import io.verbena.nfs.Mount;
import io.verbena.nfs.UnresponsiveServer;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Tests the messages that a user reads while a command does not progress. */
class WaitingNoticeTest {
    private static final Instant START = Instant.parse("2030-01-01T00:00:00Z");

    private final ByteArrayOutputStream errors = new ByteArrayOutputStream();
    private Optional<DelayedOperation> waiting = Optional.empty();
    private Optional<UnresponsiveServer> silence = Optional.empty();
    private final Mount mount = (Mount) Proxy.newProxyInstance(
            Mount.class.getClassLoader(),
            new Class<?>[] {Mount.class},
            (proxy, method, arguments) -> switch (method.getName()) {
                case "name" -> "docs";
                case "unresponsiveServer" -> silence;
                default -> waiting;
            });
    private final WaitingNotice notice =
            new WaitingNotice(() -> List.of(mount), new PrintStream(errors, true, StandardCharsets.UTF_8));

    private static Optional<DelayedOperation> wait(String status) {
        return Optional.of(
                new DelayedOperation(status, START, Duration.ofSeconds(90), "OPEN waits: so it is (" + status + ")"));
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

    @Test
    void shouldTellThatAServerIsSilentAndThatItIsBack() {
        silence = Optional.of(new UnresponsiveServer("srv", START, Optional.empty()));
        notice.look(START.plusSeconds(4));
        assertThat(told()).isEmpty();
        notice.look(START.plusSeconds(5));
        notice.look(START.plusSeconds(6));
        assertThat(told().lines()).containsExactly("mount docs: server srv silent for 5 s, still trying");
        silence = Optional.empty();
        notice.look(START.plusSeconds(7));
        notice.look(START.plusSeconds(8));
        assertThat(told().lines()).hasSize(2).last().isEqualTo("mount docs: server srv OK");
    }

    @Test
    void shouldTellWhenASoftMountGivesUp() {
        silence = Optional.of(new UnresponsiveServer("srv", START, Optional.of(START.plusSeconds(90))));
        notice.look(START.plusSeconds(12));
        assertThat(told().lines()).containsExactly("mount docs: server srv silent for 12 s (gives up in 78 s)");
        assertThat(Text.silence(silence.get(), START.plusSeconds(120))).isEqualTo("server srv silent for 120 s");
    }
}
