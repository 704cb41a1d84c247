package io.verbena.verbs.iwarp.internal;

import io.verbena.verbs.ConnectionContract;
import io.verbena.verbs.DataTransferContract;
import io.verbena.verbs.MemoryContract;
import io.verbena.verbs.RdmaProvider;
import io.verbena.verbs.WorkQueueContract;
import org.junit.jupiter.api.Nested;

/** The provider contract, with the provider as it is configured by default. */
class IwarpContractTest {
    private static RdmaProvider create() {
        return new IwarpProvider();
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
            ProviderSettings d = ProviderSettings.DEFAULT;
            return new IwarpProvider(new ProviderSettings(
                    new ProviderOptions(false, ReadyMode.WRITE, 0),
                    d.handshakeTimeout(),
                    d.maxPendingHandshakes(),
                    1448,
                    0,
                    0));
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
