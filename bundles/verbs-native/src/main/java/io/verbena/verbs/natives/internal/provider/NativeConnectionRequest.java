package io.verbena.verbs.natives.internal.provider;

import io.verbena.verbs.ConnectionAcceptor;
import io.verbena.verbs.ConnectionHandler;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionRequest;
import io.verbena.verbs.RdmaConnection;
import io.verbena.verbs.RdmaException;
import io.verbena.verbs.natives.internal.Log;
import io.verbena.verbs.natives.internal.connection.CmHandshake;
import io.verbena.verbs.natives.internal.connection.CmId;
import io.verbena.verbs.natives.internal.connection.NativeConnection;
import io.verbena.verbs.natives.internal.connection.ProviderContext;
import io.verbena.verbs.natives.internal.device.Device;
import io.verbena.verbs.natives.internal.library.CmEvent;
import io.verbena.verbs.natives.internal.library.Failures;
import io.verbena.verbs.natives.internal.library.NativeException;
import io.verbena.verbs.natives.internal.settings.NativeOptions;
import java.net.InetSocketAddress;

/** A peer's connection request, until it is accepted or rejected. Runs on a thread of its own. */
final class NativeConnectionRequest implements ConnectionRequest, Runnable {
    private final ProviderContext provider;
    private final CmId id;
    private final CmEvent request;
    private final NativeOptions options;
    private final ConnectionAcceptor acceptor;
    private final Runnable afterwards;
    private final InetSocketAddress remote;

    private volatile NativeConnection opened;
    private boolean rejected;

    NativeConnectionRequest(
            ProviderContext provider,
            CmId id,
            CmEvent request,
            NativeOptions options,
            ConnectionAcceptor acceptor,
            Runnable afterwards) {
        this.provider = provider;
        this.id = id;
        this.request = request;
        this.options = options;
        this.acceptor = acceptor;
        this.afterwards = afterwards;
        remote = provider.libraries().cm().remoteAddress(id.id());
    }

    /** Drops the request unless it is accepted already. Any thread. */
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

    /** Rejects the request where the acceptor has neither accepted nor rejected it. */
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
        NativeOptions all = options.with(limits.provider());
        Device device = device();
        NativeConnection connection = new NativeConnection(provider, device, id, request, remote, limits, all, handler);
        opened = connection; // from here on the connection owns the id, even where it fails to start
        connection.start();
        return connection;
    }

    private Device device() throws RdmaException {
        long context = provider.libraries().cm().verbs(id.id());
        try {
            Device device = provider.deviceTable().usable(context, provider.settings());
            provider.events().watch(context);
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

    /** The most private data of a rejection. Where the device cannot be queried, the limit that all devices have. */
    private int maxRejectionData() {
        try {
            return CmHandshake.maxRejectionData(
                    provider.deviceTable().of(provider.libraries().cm().verbs(id.id())));
        } catch (NativeException | RdmaException e) {
            Log.LOGGER.debug("asking for the device of a request failed", e);
            return CmHandshake.IB_REJECTION_DATA;
        }
    }

    private void sendRejection(byte[] privateData) {
        try {
            provider.libraries().cm().reject(id.id(), privateData);
        } catch (NativeException e) {
            Log.LOGGER.debug("{} did not take its rejection", remote, e);
        }
    }
}
