package io.verbena.verbs.natives.internal;

import io.verbena.verbs.ConnectionAcceptor;
import io.verbena.verbs.ConnectionHandler;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionRequest;
import io.verbena.verbs.RdmaConnection;
import io.verbena.verbs.RdmaException;
import java.net.InetSocketAddress;

/** A peer's request, until it is accepted or rejected. Runs on a thread of its own. */
final class NativeRequest implements ConnectionRequest, Runnable {
    private final ConnectionFactory factory;
    private final CmId id;
    private final CmEvent request;
    private final ProviderOptions options;
    private final ConnectionAcceptor acceptor;
    private final Runnable afterwards;
    private final InetSocketAddress remote;

    private volatile NativeConnection opened;
    private boolean rejected;

    NativeRequest(
            ConnectionFactory factory,
            CmId id,
            CmEvent request,
            ProviderOptions options,
            ConnectionAcceptor acceptor,
            Runnable afterwards) {
        this.factory = factory;
        this.id = id;
        this.request = request;
        this.options = options;
        this.acceptor = acceptor;
        this.afterwards = afterwards;
        remote = factory.natives().cm().remoteAddress(id.id());
    }

    /** Drops it unless it is accepted already; any thread. */
    void abort() {
        NativeConnection connection = opened;
        id.abort();
        if (connection != null) {
            connection.abort();
        }
    }

    @Override
    public void run() {
        try {
            acceptor.onConnectionRequest(this);
        } catch (RuntimeException | Error e) {
            Log.LOGGER.error("deciding on a connection request of {} failed", remote, e);
        } finally {
            try {
                conclude();
            } finally {
                afterwards.run();
            }
        }
    }

    /** What was neither accepted nor rejected is rejected. */
    private void conclude() {
        if (opened != null) {
            if (!opened.wasAccepted()) {
                opened.reject();
                opened.close();
            }
            return;
        }
        if (!rejected) {
            sendRejection(new byte[0]);
        }
        id.destroy();
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return remote;
    }

    @Override
    public byte[] privateData() {
        return Failures.bytes(request.privateData());
    }

    @Override
    public RdmaConnection open(ConnectionOptions limits, ConnectionHandler handler) throws RdmaException {
        checkUndecided();
        ProviderOptions all = options.with(limits.provider());
        Device device = device();
        NativeConnection connection = new NativeConnection(factory, device, id, request, remote, limits, all, handler);
        opened = connection; // the id is the connection's, whatever becomes of it
        connection.start();
        return connection;
    }

    private Device device() throws RdmaException {
        long context = factory.natives().cm().verbs(id.id());
        try {
            Device device = factory.deviceTable().usable(context, factory.settings());
            factory.events().watch(context);
            return device;
        } catch (NativeException e) {
            throw Failures.resources(e);
        }
    }

    private void checkUndecided() {
        if (opened != null || rejected) {
            throw new IllegalStateException("the request was opened or rejected before");
        }
    }

    @Override
    public void reject(byte[] privateData) {
        checkUndecided();
        if (privateData.length > maxRejectionData()) {
            throw new IllegalArgumentException("too much private data: " + privateData.length + " octets");
        }
        rejected = true;
        sendRejection(privateData);
    }

    /** A device that cannot be asked leaves the limit that all have. */
    private int maxRejectionData() {
        try {
            return Handshake.maxRejectionData(
                    factory.deviceTable().of(factory.natives().cm().verbs(id.id())));
        } catch (NativeException | RdmaException e) {
            Log.LOGGER.debug("asking for the device of a request failed", e);
            return Handshake.IB_REJECTION_DATA;
        }
    }

    private void sendRejection(byte[] privateData) {
        try {
            factory.natives().cm().reject(id.id(), privateData);
        } catch (NativeException e) {
            Log.LOGGER.debug("{} did not take its rejection", remote, e);
        }
    }
}
