package io.verbena.verbs.selftest.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.memory.internal.DirectMemory;
import io.verbena.runtime.SystemRuntime;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.RdmaException;
import io.verbena.verbs.RdmaException.Kind;
import io.verbena.verbs.iwarp.internal.provider.IwarpProvider;
import io.verbena.verbs.selftest.SelfTestListener;
import io.verbena.verbs.selftest.SelfTestOptions;
import io.verbena.verbs.selftest.SelfTestReport;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;

/** The self-test with the software provider, and ends that a test simulates. */
@Timeout(60)
abstract class SelfTestFixture {
    static final Duration TIMEOUT = Duration.ofSeconds(10);
    static final SelfTestOptions FEW = new SelfTestOptions(64, Duration.ofSeconds(10), 20, TIMEOUT, Map.of());
    static final ConnectionOptions OPTIONS = Endpoint.options(Map.of());

    final IwarpProvider provider = new IwarpProvider(new SystemRuntime(), new DirectMemory());
    final SelfTestService service = new SelfTestService();
    final BlockingQueue<String> told = new LinkedBlockingQueue<>();

    @AfterEach
    void stop() {
        provider.deactivate();
    }

    static InetSocketAddress anyPort() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    }

    SelfTestListener listen() throws RdmaException {
        return service.listen(provider, anyPort(), told::add);
    }

    SelfTestReport connect(InetSocketAddress remote, SelfTestOptions options) throws Exception {
        return service.connect(provider, remote, options, step -> {});
    }

    static void assertRefused(Kind kind, ThrowingCallable call, String... texts) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        RdmaException.class, e -> assertThat(e.kind()).isEqualTo(kind))
                .hasMessageContainingAll(texts);
    }
}
