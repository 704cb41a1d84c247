package io.verbena.verbs.selftest;

import java.net.InetSocketAddress;
import org.osgi.annotation.versioning.ProviderType;

/** The end of a test that does what the other end asks of it, for one test. */
@ProviderType
public interface SelfTestListener extends AutoCloseable {
    /** The address that the other end connects to, its port resolved. */
    InetSocketAddress localAddress();

    /**
     * Waits for the test, however long it takes until it begins, and for its end. A peer that falls silent in the
     * middle ends it.
     *
     * @return what the other end said of it; failed too where that end has gone before its test had ended
     */
    SelfTestStep await() throws InterruptedException;

    /** Stops listening and ends the connections. */
    @Override
    void close();
}
