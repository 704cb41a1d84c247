package io.verbena.verbs.iwarp.internal.provider;

import io.verbena.memory.internal.DirectMemory;
import io.verbena.runtime.SystemRuntime;
import io.verbena.verbs.ConnectionContract;
import io.verbena.verbs.DataTransferContract;
import io.verbena.verbs.MemoryContract;
import io.verbena.verbs.RdmaProvider;
import io.verbena.verbs.WorkQueueContract;
import io.verbena.verbs.iwarp.internal.settings.IwarpOptions;
import io.verbena.verbs.iwarp.internal.settings.IwarpSettings;
import io.verbena.verbs.iwarp.internal.wire.ReadyMode;
import org.junit.jupiter.api.Nested;

/** The provider contract, with the provider as it is configured by default. */
class IwarpContractTest {
    private static RdmaProvider create() {
        return new IwarpProvider(new SystemRuntime(), new DirectMemory());
    }

    private static void destroy(RdmaProvider provider) {
        ((IwarpProvider) provider).deactivate();
    }

    @Nested
    class Connections extends ConnectionContract {
        @Override
        protected RdmaProvider createProvider() {
            return create();
        }

        @Override
        protected void destroyProvider(RdmaProvider provider) {
            destroy(provider);
        }
    }

    @Nested
    class DataTransfer extends DataTransferContract {
        @Override
        protected RdmaProvider createProvider() {
            return create();
        }

        @Override
        protected void destroyProvider(RdmaProvider provider) {
            destroy(provider);
        }
    }

    /** As on Ethernet, and without CRC. */
    @Nested
    class DataTransferInSmallSegments extends DataTransferContract {
        @Override
        protected RdmaProvider createProvider() {
            IwarpSettings d = IwarpSettings.DEFAULT;
            return new IwarpProvider(
                    new IwarpSettings(
                            new IwarpOptions(false, ReadyMode.WRITE, 0),
                            d.handshakeTimeout(),
                            d.maxPendingHandshakes(),
                            d.sendTimeout(),
                            d.keepAlive(),
                            1448,
                            0,
                            0),
                    new SystemRuntime(),
                    new DirectMemory());
        }

        @Override
        protected void destroyProvider(RdmaProvider provider) {
            destroy(provider);
        }
    }

    /** With memory for short staging buffers only. */
    @Nested
    class DataTransferWithLittleMemory extends DataTransferContract {
        @Override
        protected RdmaProvider createProvider() {
            return new IwarpProvider(new SystemRuntime(), new DirectMemory(127 << 10));
        }

        @Override
        protected void destroyProvider(RdmaProvider provider) {
            destroy(provider);
        }
    }

    @Nested
    class Memory extends MemoryContract {
        @Override
        protected RdmaProvider createProvider() {
            return create();
        }

        @Override
        protected void destroyProvider(RdmaProvider provider) {
            destroy(provider);
        }
    }

    @Nested
    class WorkQueues extends WorkQueueContract {
        @Override
        protected RdmaProvider createProvider() {
            return create();
        }

        @Override
        protected void destroyProvider(RdmaProvider provider) {
            destroy(provider);
        }
    }
}
