package io.verbena.rpcrdma.dispatcher.internal;

import io.verbena.verbs.ConnectionAcceptor;
import io.verbena.verbs.ConnectionHandler;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.RdmaConnection;
import io.verbena.verbs.RdmaDevice;
import io.verbena.verbs.RdmaException;
import io.verbena.verbs.RdmaListener;
import io.verbena.verbs.RdmaProvider;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * A provider of its own by another's means, as the next build of a bundle is.
 *
 * @param opened runs before an end that was opened is handed out
 */
record MemoryPass(MemoryFabric fabric, Runnable opened) implements RdmaProvider {
    @Override
    public String name() {
        return fabric.name();
    }

    @Override
    public List<RdmaDevice> devices() {
        return fabric.devices();
    }

    @Override
    public boolean reaches(InetSocketAddress remote) {
        return fabric.reaches(remote);
    }

    @Override
    public RdmaConnection open(
            InetSocketAddress remote, ConnectionOptions options, ConnectionHandler handler, Duration timeout) {
        RdmaConnection end = fabric.open(remote, options, handler, timeout);
        opened.run();
        return end;
    }

    @Override
    public RdmaListener listen(
            InetSocketAddress local, Map<String, String> providerOptions, ConnectionAcceptor acceptor)
            throws RdmaException {
        return fabric.listen(local, providerOptions, acceptor);
    }
}
