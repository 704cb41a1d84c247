package io.verbena.itests.guest;

import io.verbena.verbs.ConnectionContract;
import io.verbena.verbs.DataTransferContract;
import io.verbena.verbs.MemoryContract;
import io.verbena.verbs.RdmaProvider;
import io.verbena.verbs.Shortcoming;
import io.verbena.verbs.WorkQueueContract;
import java.net.InetAddress;
import java.util.Set;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/**
 * The provider contract between two providers, or within one, at an address. The system properties
 * {@code verbena.contract.connecting}, {@code verbena.contract.listening} and {@code verbena.contract.address} name
 * them; {@code verbena.contract.device} is the device at the address.
 */
@Tag("in-guest")
class ProviderContracts {
    // not constants, since another run in the same JVM has other values
    private static Providers connects() {
        return Providers.named("verbena.contract.connecting");
    }

    private static Providers listens() {
        return Providers.named("verbena.contract.listening");
    }

    @Nested
    class Connections extends ConnectionContract {
        @Override
        protected RdmaProvider createProvider() throws Exception {
            return connects().create();
        }

        @Override
        protected RdmaProvider createListeningProvider() throws Exception {
            return connects() == listens() ? connecting : listens().create();
        }

        @Override
        protected void destroyProvider(RdmaProvider provider) throws Exception {
            Providers.of(provider).destroy(provider);
        }

        @Override
        protected InetAddress address() {
            return ContractAddress.named();
        }

        @Override
        protected Set<Shortcoming> shortcomings(RdmaProvider provider) {
            return Providers.of(provider).shortcomings();
        }
    }

    @Nested
    class DataTransfer extends DataTransferContract {
        @Override
        protected RdmaProvider createProvider() throws Exception {
            return connects().create();
        }

        @Override
        protected RdmaProvider createListeningProvider() throws Exception {
            return connects() == listens() ? connecting : listens().create();
        }

        @Override
        protected void destroyProvider(RdmaProvider provider) throws Exception {
            Providers.of(provider).destroy(provider);
        }

        @Override
        protected InetAddress address() {
            return ContractAddress.named();
        }

        @Override
        protected Set<Shortcoming> shortcomings(RdmaProvider provider) {
            return Providers.of(provider).shortcomings();
        }
    }

    @Nested
    class Memory extends MemoryContract {
        @Override
        protected RdmaProvider createProvider() throws Exception {
            return connects().create();
        }

        @Override
        protected RdmaProvider createListeningProvider() throws Exception {
            return connects() == listens() ? connecting : listens().create();
        }

        @Override
        protected void destroyProvider(RdmaProvider provider) throws Exception {
            Providers.of(provider).destroy(provider);
        }

        @Override
        protected InetAddress address() {
            return ContractAddress.named();
        }

        @Override
        protected Set<Shortcoming> shortcomings(RdmaProvider provider) {
            return Providers.of(provider).shortcomings();
        }
    }

    @Nested
    class WorkQueues extends WorkQueueContract {
        @Override
        protected RdmaProvider createProvider() throws Exception {
            return connects().create();
        }

        @Override
        protected RdmaProvider createListeningProvider() throws Exception {
            return connects() == listens() ? connecting : listens().create();
        }

        @Override
        protected void destroyProvider(RdmaProvider provider) throws Exception {
            Providers.of(provider).destroy(provider);
        }

        @Override
        protected InetAddress address() {
            return ContractAddress.named();
        }

        @Override
        protected Set<Shortcoming> shortcomings(RdmaProvider provider) {
            return Providers.of(provider).shortcomings();
        }
    }
}
