package io.verbena.nfs41.server.internal.testing;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Passes TCP connections on to a server, to which they come from another address of this host. */
public final class Relay implements AutoCloseable {
    private static final int TIMEOUT_MILLIS = 10_000;

    private final ServerSocket listener;
    private final InetSocketAddress server;
    private final InetAddress from;
    private final Queue<Socket> sockets = new ConcurrentLinkedQueue<>();

    public Relay(InetSocketAddress server, String from) throws IOException {
        this.server = server;
        this.from = InetAddress.getByName(from);
        listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        start(this::accept);
    }

    public InetSocketAddress address() {
        return (InetSocketAddress) listener.getLocalSocketAddress();
    }

    private void accept() throws IOException {
        while (true) {
            Socket near = listener.accept();
            sockets.add(near);
            Socket far = new Socket();
            sockets.add(far);
            far.bind(new InetSocketAddress(from, 0));
            far.connect(server, TIMEOUT_MILLIS);
            start(() -> pass(near, far));
            start(() -> pass(far, near));
        }
    }

    private static void pass(Socket in, Socket out) throws IOException {
        try (in;
                out) {
            in.getInputStream().transferTo(out.getOutputStream());
        }
    }

    private interface Task {
        void run() throws IOException;
    }

    private static void start(Task task) {
        Thread thread = new Thread(() -> {
            try {
                task.run();
            } catch (IOException e) {
                // one of the sockets was closed
            }
        });
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() throws IOException {
        listener.close();
        for (Socket each : sockets) {
            each.close();
        }
    }
}
