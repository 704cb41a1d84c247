package io.verbena.verbs.natives.internal;

import static org.assertj.core.api.Assumptions.assumeThat;

import io.verbena.verbs.ConnectionContract;
import io.verbena.verbs.DataTransferContract;
import io.verbena.verbs.MemoryContract;
import io.verbena.verbs.RdmaProvider;
import io.verbena.verbs.WorkQueueContract;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;

/**
 * The provider contract on a device of this host: that of the address which the system property
 * {@code verbena.native.address} gives. Without it there is nothing to test.
 */
class NativeContractTest {
    private static final String ADDRESS = System.getProperty("verbena.native.address");

    /** What the device is asked for once. */
    private static boolean iwarp;

    @BeforeAll
    static void askForDevice() throws Exception {
        assumeThat(ADDRESS).as("-Dverbena.native.address").isNotNull();
        NativeProvider provider = create();
        try {
            NativeConnection probe = (NativeConnection) provider.open(
                    new InetSocketAddress(address(), 9),
                    new io.verbena.verbs.ConnectionOptions(1, 1, 1, 1, java.util.Map.of()),
                    new io.verbena.verbs.RdmaPeer(),
                    java.time.Duration.ofSeconds(5));
            iwarp = probe.device().iwarp();
            probe.close();
        } finally {
            provider.deactivate();
        }
    }

    private static NativeProvider create() throws Exception {
        NativeLibraries libraries = NativeLibraries.load();
        return new NativeProvider(
                new Natives(libraries.ibverbs(), libraries.rdmacm(), libraries.posix()), NativeSettings.DEFAULT);
    }

    private static void destroy(RdmaProvider provider) {
        ((NativeProvider) provider).deactivate();
    }

    private static InetAddress address() {
        try {
            return InetAddress.getByName(ADDRESS);
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException(e);
        }
    }

    @Nested
    class Connections extends ConnectionContract {
        @Override
        protected RdmaProvider createProvider() throws Exception {
            return create();
        }

        @Override
        protected void destroyProvider(RdmaProvider provider) {
            destroy(provider);
        }

        @Override
        protected InetAddress address() {
            return NativeContractTest.address();
        }
    }

    @Nested
    class DataTransfer extends DataTransferContract {
        @Override
        protected RdmaProvider createProvider() throws Exception {
            return create();
        }

        @Override
        protected void destroyProvider(RdmaProvider provider) {
            destroy(provider);
        }

        @Override
        protected InetAddress address() {
            return NativeContractTest.address();
        }
    }

    @Nested
    class Memory extends MemoryContract {
        @Override
        protected RdmaProvider createProvider() throws Exception {
            return create();
        }

        @Override
        protected void destroyProvider(RdmaProvider provider) {
            destroy(provider);
        }

        @Override
        protected InetAddress address() {
            return NativeContractTest.address();
        }

        /** Type-2 windows have an index of the device's and a random octet of ours, regions a tag of the device's. */
        @Override
        protected boolean drawsSteeringTags() {
            return false;
        }

        /** libsiw tells only that the queue pair was flushed. */
        @Override
        protected boolean tellsReasons() {
            return !iwarp;
        }

        /** InfiniBand's responder answers RNR NAK and goes on; the requester ends the connection. */
        @Override
        protected boolean tellsOfMissingReceives() {
            return iwarp;
        }
    }

    @Nested
    class WorkQueues extends WorkQueueContract {
        @Override
        protected RdmaProvider createProvider() throws Exception {
            return create();
        }

        @Override
        protected void destroyProvider(RdmaProvider provider) {
            destroy(provider);
        }

        @Override
        protected InetAddress address() {
            return NativeContractTest.address();
        }
    }
}
