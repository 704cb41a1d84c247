package io.verbena.verbs.selftest;

import io.verbena.verbs.RdmaException;
import io.verbena.verbs.RdmaProvider;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.function.Consumer;
import org.osgi.annotation.versioning.ProviderType;

/**
 * Tests providers. The report holds failed steps; an exception means that the test could not begin. Any thread may call
 * the methods, which block until the test has ended and its resources are free.
 */
@ProviderType
public interface SelfTest {
    /** The default port of a listening end. */
    int DEFAULT_PORT = 18_620;

    /**
     * Tests a provider against itself, both ends in this process.
     *
     * @param local an address of the device to test
     * @param told each step as it ends, on the calling thread
     * @throws RdmaException where no connection can be made
     */
    SelfTestReport loopback(
            RdmaProvider provider, InetAddress local, SelfTestOptions options, Consumer<SelfTestStep> told)
            throws RdmaException, InterruptedException;

    /**
     * Tests against an end created by {@link #listen}, in another process or on another machine.
     *
     * @param told each step as it ends, on the calling thread
     * @throws RdmaException where no connection can be established; {@code PROTOCOL} where the answering program is not
     *     such an end, and {@code REJECTED} where the end speaks another version or is busy
     */
    SelfTestReport connect(
            RdmaProvider provider, InetSocketAddress remote, SelfTestOptions options, Consumer<SelfTestStep> told)
            throws RdmaException, InterruptedException;

    /**
     * Listens for one test.
     *
     * @param local the address; port 0 picks a free port
     * @param told receives refused connections, on a thread of the provider
     * @throws RdmaException with {@code ADDRESS_UNAVAILABLE} where the address is not available
     */
    SelfTestListener listen(RdmaProvider provider, InetSocketAddress local, Consumer<String> told) throws RdmaException;
}
