package io.verbena.verbs.natives.internal;

/** What a connection's thread does of the connection's when it ends it. */
final class ConnectionEnding implements ReceiveThread.Ending {
    private final ConnectionFactory factory;
    private final NativeConnection connection;
    private final CmId id;
    private final ConnectionSteps steps;
    private final QueuePair queuePair;
    private final SendQueue sends;
    private final ReceiveQueue receives;
    private final Regions regions;

    ConnectionEnding(
            ConnectionFactory factory,
            NativeConnection connection,
            CmId id,
            ConnectionSteps steps,
            QueuePair queuePair,
            SendQueue sends,
            ReceiveQueue receives,
            Regions regions) {
        this.factory = factory;
        this.connection = connection;
        this.id = id;
        this.steps = steps;
        this.queuePair = queuePair;
        this.sends = sends;
        this.receives = receives;
        this.regions = regions;
    }

    @Override
    public void refusePosts() {
        steps.end();
        sends.close();
        receives.close();
    }

    @Override
    public void disconnect() {
        steps.disconnect(queuePair);
    }

    @Override
    public void destroyQueues() {
        factory.events().remove(connection);
        regions.closeWindows();
        steps.destroyQueues(queuePair);
        regions.close();
    }

    @Override
    public void finish() {
        queuePair.destroy();
        id.destroy();
        connection.traffic().ended();
        factory.ended(connection);
    }
}
