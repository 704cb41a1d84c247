package io.verbena.verbs.selftest.internal;

import io.verbena.verbs.RdmaException;
import io.verbena.verbs.RdmaProvider;
import io.verbena.verbs.selftest.SelfTest;
import io.verbena.verbs.selftest.SelfTestListener;
import io.verbena.verbs.selftest.SelfTestOptions;
import io.verbena.verbs.selftest.SelfTestReport;
import io.verbena.verbs.selftest.SelfTestStep;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.function.Consumer;
import org.osgi.service.component.annotations.Component;

/** The tests as a service. */
@Component(service = SelfTest.class)
public final class SelfTestService implements SelfTest {
    @Override
    public SelfTestReport loopback(
            RdmaProvider provider, InetAddress local, SelfTestOptions options, Consumer<SelfTestStep> told)
            throws RdmaException, InterruptedException {
        try (SelfTestListener listener = listen(provider, new InetSocketAddress(local, 0), rejection -> {
            // a request of another program that has found the port: the test continues
        })) {
            return connect(provider, listener.localAddress(), options, told);
        }
    }

    @Override
    public SelfTestReport connect(
            RdmaProvider provider, InetSocketAddress remote, SelfTestOptions options, Consumer<SelfTestStep> told)
            throws RdmaException, InterruptedException {
        return new SelfTestRun(provider, remote, options, told).run();
    }

    @Override
    public SelfTestListener listen(RdmaProvider provider, InetSocketAddress local, Consumer<String> told)
            throws RdmaException {
        return new SelfTestListenerImpl(provider, local, told);
    }
}
