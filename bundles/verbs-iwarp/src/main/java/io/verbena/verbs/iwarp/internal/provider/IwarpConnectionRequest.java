package io.verbena.verbs.iwarp.internal.provider;

import io.verbena.verbs.ConnectionAcceptor;
import io.verbena.verbs.ConnectionHandler;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionRequest;
import io.verbena.verbs.RdmaConnection;
import io.verbena.verbs.RdmaException;
import io.verbena.verbs.iwarp.internal.Log;
import io.verbena.verbs.iwarp.internal.connection.IwarpConnection;
import io.verbena.verbs.iwarp.internal.connection.MpaHandshake;
import io.verbena.verbs.iwarp.internal.connection.ProviderContext;
import io.verbena.verbs.iwarp.internal.settings.IwarpOptions;
import io.verbena.verbs.iwarp.internal.tcp.ConnectionTap;
import io.verbena.verbs.iwarp.internal.tcp.TimedChannel;
import io.verbena.verbs.iwarp.internal.wire.Iwarp;
import io.verbena.verbs.iwarp.internal.wire.MpaFrame;
import io.verbena.verbs.iwarp.internal.wire.ReadyMode;
import java.io.IOException;
import java.net.InetSocketAddress;

/** A peer that has connected by TCP, until its request is accepted or rejected. Runs on a thread of its own. */
final class IwarpConnectionRequest implements ConnectionRequest, Runnable {
    private final ProviderContext provider;
    private final TimedChannel channel;
    private final IwarpOptions options;
    private final ConnectionAcceptor acceptor;
    private final Runnable afterwards;
    private final InetSocketAddress remote;

    private MpaFrame request;
    private volatile IwarpConnection opened;
    private boolean rejected;

    IwarpConnectionRequest(
            ProviderContext provider,
            TimedChannel channel,
            IwarpOptions options,
            ConnectionAcceptor acceptor,
            Runnable afterwards) {
        this.provider = provider;
        this.channel = channel;
        this.options = options;
        this.acceptor = acceptor;
        this.afterwards = afterwards;
        remote = (InetSocketAddress) channel.channel().socket().getRemoteSocketAddress();
        InetSocketAddress local = (InetSocketAddress) channel.channel().socket().getLocalSocketAddress();
        if (local != null && remote != null) { // null where the peer has gone already
            channel.observe(new ConnectionTap(provider.tap(), local, remote, false));
        }
    }

    /** Drops the request unless it is accepted already. Any thread. */
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
            request = MpaHandshake.receiveRequest(channel, deadline());
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
        } catch (Throwable e) {
            Log.LOGGER.error("deciding on a connection request of {} failed", remote, e);
        } finally {
            try {
                conclude();
            } catch (Throwable e) {
                Log.LOGGER.error("a connection request of {} could not be rejected", remote, e);
                channel.close();
            } finally {
                afterwards.run();
            }
        }
    }

    private long deadline() {
        return provider.runtime().nanoTime()
                + provider.settings().handshakeTimeout().toNanos();
    }

    /** Rejects the request where the acceptor has neither accepted nor rejected it. */
    private void conclude() {
        if (opened != null && opened.wasAccepted()) {
            return;
        }
        if (opened != null) {
            opened.close(); // with a rejection
        } else if (request != null && !rejected) {
            reject(new byte[0]);
        }
        channel.close();
        channel.tap().ended();
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
        IwarpOptions all = options.with(limits.provider());
        opened = new IwarpConnection(provider, remote, limits, all, handler, request, channel);
        provider.opened(opened);
        return opened;
    }

    @Override
    public void reject(byte[] privateData) {
        if (opened != null || rejected) {
            throw new IllegalStateException("the request was opened or rejected before");
        }
        if (privateData.length > MpaFrame.MAX_USER_DATA) {
            throw new IllegalArgumentException("too much private data: " + privateData.length + " octets");
        }
        rejected = true;
        MpaHandshake.reject(channel, request, privateData, deadline());
    }
}
