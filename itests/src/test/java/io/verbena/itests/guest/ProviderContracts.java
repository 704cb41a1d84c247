package io.verbena.itests.guest;

import io.verbena.verbs.ConnectionContract;
import io.verbena.verbs.DataTransferContract;
import io.verbena.verbs.MemoryContract;
import io.verbena.verbs.RdmaProvider;
import io.verbena.verbs.WorkQueueContract;
import java.net.InetAddress;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/**
 * The provider contract between two providers, or within one, at an address: what the system properties {@code
 * verbena.contract.connecting}, {@code verbena.contract.listening} and {@code verbena.contract.address} name, with {@code
 * verbena.contract.transport} of {@code roce} or {@code iwarp}.
 */
@Tag("in-guest")
class ProviderContracts {
    private static final Providers CONNECTING = Providers.named("verbena.contract.connecting");
    private static final Providers LISTENING = Providers.named("verbena.contract.listening");

    private static final boolean SOFTWARE_ONLY = CONNECTING == Providers.IWARP && LISTENING == Providers.IWARP;

    private static boolean isRoce() {
        return "roce".equals(System.getProperty("verbena.contract.transport"));
    }

    private static void destroy(RdmaProvider provider) throws Exception {
        Providers.of(provider).destroy(provider);
    }

    @Nested
    class Connections extends ConnectionContract {
        @Override
        protected RdmaProvider createProvider() throws Exception {
            return CONNECTING.create();
        }

        @Override
        protected RdmaProvider createListeningProvider() throws Exception {
            return CONNECTING == LISTENING ? connecting : LISTENING.create();
        }

        @Override
        protected void destroyProvider(RdmaProvider provider) throws Exception {
            destroy(provider);
        }

        @Override
        protected InetAddress address() {
            return ContractAddress.named();
        }
    }

    @Nested
    class DataTransfer extends DataTransferContract {
        @Override
        protected RdmaProvider createProvider() throws Exception {
            return CONNECTING.create();
        }

        @Override
        protected RdmaProvider createListeningProvider() throws Exception {
            return CONNECTING == LISTENING ? connecting : LISTENING.create();
        }

        @Override
        protected void destroyProvider(RdmaProvider provider) throws Exception {
            destroy(provider);
        }

        @Override
        protected InetAddress address() {
            return ContractAddress.named();
        }
    }

    @Nested
    class Memory extends MemoryContract {
        @Override
        protected RdmaProvider createProvider() throws Exception {
            return CONNECTING.create();
        }

        @Override
        protected RdmaProvider createListeningProvider() throws Exception {
            return CONNECTING == LISTENING ? connecting : LISTENING.create();
        }

        @Override
        protected void destroyProvider(RdmaProvider provider) throws Exception {
            destroy(provider);
        }

        @Override
        protected InetAddress address() {
            return ContractAddress.named();
        }

        /** Devices draw their own, but for an octet. */
        @Override
        protected boolean drawsSteeringTags() {
            return CONNECTING == Providers.IWARP;
        }

        /** libsiw tells only that the queue pair was flushed. */
        @Override
        protected boolean tellsReasons() {
            return SOFTWARE_ONLY || isRoce();
        }

        /** RoCE's responder answers RNR NAK and goes on; the requester ends the connection. */
        @Override
        protected boolean tellsOfMissingReceives() {
            return SOFTWARE_ONLY || !isRoce();
        }
    }

    @Nested
    class WorkQueues extends WorkQueueContract {
        @Override
        protected RdmaProvider createProvider() throws Exception {
            return CONNECTING.create();
        }

        @Override
        protected RdmaProvider createListeningProvider() throws Exception {
            return CONNECTING == LISTENING ? connecting : LISTENING.create();
        }

        @Override
        protected void destroyProvider(RdmaProvider provider) throws Exception {
            destroy(provider);
        }

        @Override
        protected InetAddress address() {
            return ContractAddress.named();
        }
    }
}
