package io.verbena.verbs.natives.internal.connection;

import io.verbena.verbs.natives.internal.memory.RegionTable;
import io.verbena.verbs.natives.internal.queue.QueuePair;
import io.verbena.verbs.natives.internal.queue.ReceiveQueue;
import io.verbena.verbs.natives.internal.queue.SendQueue;

/** The steps by which the receive thread ends a connection. */
final class ConnectionTeardown implements ReceiveThread.Teardown {
    private final ProviderContext provider;
    private final NativeConnection connection;
    private final CmId id;
    private final ConnectionState state;
    private final QueuePair queuePair;
    private final SendQueue sends;
    private final ReceiveQueue receives;
    private final RegionTable regions;

    ConnectionTeardown(
            ProviderContext provider,
            NativeConnection connection,
            CmId id,
            ConnectionState state,
            QueuePair queuePair,
            SendQueue sends,
            ReceiveQueue receives,
            RegionTable regions) {
        this.provider = provider;
        this.connection = connection;
        this.id = id;
        this.state = state;
        this.queuePair = queuePair;
        this.sends = sends;
        this.receives = receives;
        this.regions = regions;
    }

    @Override
    public void refusePosts() {
        state.end();
        sends.close();
        receives.close();
    }

    @Override
    public void disconnect() {
        state.disconnect(queuePair);
    }

    @Override
    public void destroyQueues() {
        provider.events().remove(connection);
        regions.closeWindows();
        state.destroyQueues(queuePair);
        regions.close();
    }

    @Override
    public void finish() {
        queuePair.destroy();
        id.destroy();
        connection.tap().ended();
        provider.ended(connection);
    }
}
