package io.verbena.verbs.selftest;

import io.verbena.verbs.RdmaException;
import io.verbena.verbs.RdmaProvider;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.function.Consumer;
import org.osgi.annotation.versioning.ProviderType;

/**
 * Tests providers. A step that goes wrong is in the report; what keeps a test from beginning is an exception. May be
 * called from any thread, which is held until the test has ended; nothing is left of it then.
 */
@ProviderType
public interface SelfTest {
    /** The port of a listening end where none is said. */
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
     * Tests against an end that {@link #listen} has made, in another process or on another machine.
     *
     * @param told each step as it ends, on the calling thread
     * @throws RdmaException where no connection can be made; {@code PROTOCOL} where what answers is no such end, and
     *     {@code REJECTED} where it speaks another version or is busy
     */
    SelfTestReport connect(
            RdmaProvider provider, InetSocketAddress remote, SelfTestOptions options, Consumer<SelfTestStep> told)
            throws RdmaException, InterruptedException;

    /**
     * Listens for one test.
     *
     * @param local the address; port 0 picks a free one
     * @param told of connections refused, on a thread of the provider's
     * @throws RdmaException with {@code ADDRESS_UNAVAILABLE} where the address cannot be had
     */
    SelfTestListener listen(RdmaProvider provider, InetSocketAddress local, Consumer<String> told) throws RdmaException;
}
