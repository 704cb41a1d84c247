package io.verbena.verbs.iwarp.internal;

import io.verbena.verbs.ConnectionAcceptor;
import io.verbena.verbs.ConnectionHandler;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionRequest;
import io.verbena.verbs.RdmaConnection;
import io.verbena.verbs.RdmaException;
import java.io.IOException;
import java.net.InetSocketAddress;

/** A peer that has connected by TCP, until it is accepted or rejected. Runs on a thread of its own. */
final class PendingRequest implements ConnectionRequest, Runnable {
    private final ConnectionFactory factory;
    private final TimedChannel channel;
    private final ProviderOptions options;
    private final ConnectionAcceptor acceptor;
    private final Runnable afterwards;
    private final InetSocketAddress remote;

    private MpaFrame request;
    private volatile IwarpConnection opened;
    private boolean rejected;

    PendingRequest(
            ConnectionFactory factory,
            TimedChannel channel,
            ProviderOptions options,
            ConnectionAcceptor acceptor,
            Runnable afterwards) {
        this.factory = factory;
        this.channel = channel;
        this.options = options;
        this.acceptor = acceptor;
        this.afterwards = afterwards;
        remote = (InetSocketAddress) channel.channel().socket().getRemoteSocketAddress();
        InetSocketAddress local = (InetSocketAddress) channel.channel().socket().getLocalSocketAddress();
        if (local != null && remote != null) { // else the peer has gone already
            channel.observe(new Traffic(factory.tap(), local, remote, false));
        }
    }

    /** Drops it unless it is accepted already; any thread. */
    void abort() {
        IwarpConnection connection = opened;
        if (connection == null) {
            channel.close();
        } else {
            connection.abort();
        }
    }

    @Override
    public void run() {
        try {
            request = Handshake.receiveRequest(channel, deadline());
            if (request.has(Iwarp.MPA_FLAG_MARKERS)) {
                Log.LOGGER.warn("{} asks for MPA markers, which are not supported", remote);
                reject(new byte[0]);
            } else if (ReadyMode.of(request) == null) {
                Log.LOGGER.warn("{} offers no way to get ready that is known", remote);
                reject(new byte[0]);
            } else {
                acceptor.onConnectionRequest(this);
            }
        } catch (IOException e) {
            Log.LOGGER.debug("{} did not complete the MPA handshake: {}", remote, e.getMessage());
        } catch (RuntimeException e) {
            Log.LOGGER.error("deciding on a connection request of {} failed", remote, e);
        } finally {
            conclude();
            afterwards.run();
        }
    }

    private long deadline() {
        return System.nanoTime() + factory.settings().handshakeTimeout().toNanos();
    }

    /** What was neither accepted nor rejected is rejected. */
    private void conclude() {
        if (opened != null && opened.wasAccepted()) {
            return;
        }
        if (opened != null) {
            IwarpConnection connection = opened;
            opened = null;
            sendRejection(new byte[0]);
            connection.close();
        } else if (request != null && !rejected) {
            reject(new byte[0]);
        }
        channel.close();
        channel.traffic().ended();
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return remote;
    }

    @Override
    public byte[] privateData() {
        return request.privateData().clone();
    }

    @Override
    public RdmaConnection open(ConnectionOptions limits, ConnectionHandler handler) throws RdmaException {
        if (opened != null || rejected) {
            throw new IllegalStateException("the request was opened or rejected before");
        }
        ProviderOptions all = options.with(limits.provider());
        opened = new IwarpConnection(factory, remote, limits, all, handler, request, channel);
        factory.opened(opened);
        return opened;
    }

    @Override
    public void reject(byte[] privateData) {
        if (opened != null || rejected) {
            throw new IllegalStateException("the request was opened or rejected before");
        }
        if (privateData.length > Handshake.MAX_PRIVATE_DATA) {
            throw new IllegalArgumentException("too much private data: " + privateData.length + " octets");
        }
        sendRejection(privateData);
    }

    private void sendRejection(byte[] privateData) {
        rejected = true;
        try {
            Handshake.send(channel, Handshake.rejection(request, privateData), deadline());
            channel.channel().shutdownOutput();
        } catch (IOException e) {
            Log.LOGGER.debug("{} did not take its rejection: {}", remote, e.getMessage());
        }
    }
}
