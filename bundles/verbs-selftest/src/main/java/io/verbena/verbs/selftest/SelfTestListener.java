package io.verbena.verbs.selftest;

import java.net.InetSocketAddress;
import org.osgi.annotation.versioning.ProviderType;

/** The listening end of one test. It executes the requests of the other end. */
@ProviderType
public interface SelfTestListener extends AutoCloseable {
    /** The address that the other end connects to, its port resolved. */
    InetSocketAddress localAddress();

    /**
     * Waits without a bound for the test to begin, and then for its end. The test also ends when the peer becomes
     * silent.
     *
     * @return the result that the other end reported; a failure also where that end disconnected before the end of its
     *     test
     */
    SelfTestStep await() throws InterruptedException;

    /** Stops listening and ends the connections. */
    @Override
    void close();
}
