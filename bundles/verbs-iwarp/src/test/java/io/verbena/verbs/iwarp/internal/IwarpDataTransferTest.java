package io.verbena.verbs.iwarp.internal;

import io.verbena.verbs.DataTransferContract;
import io.verbena.verbs.RdmaProvider;

class IwarpDataTransferTest extends DataTransferContract {
    @Override
    protected RdmaProvider createProvider() {
        return new IwarpProvider();
    }

    @Override
    protected void destroyProvider(RdmaProvider provider) {
        ((IwarpProvider) provider).deactivate();
    }
}
