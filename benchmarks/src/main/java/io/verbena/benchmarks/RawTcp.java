package io.verbena.benchmarks;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;

/** The baselines: plain blocking Java sockets on this machine. */
final class RawTcp {
    private static final int CHUNK = 256 << 10;
    private static final int MESSAGE = 128;

    private RawTcp() {}

    /** A stream in one direction, in writes of 256 KiB from and into direct buffers. */
    static Case stream() throws IOException {
        return new Pair("raw TCP stream") {
            @Override
            public boolean inOctets() {
                return true;
            }

            @Override
            void serve(SocketChannel channel) throws IOException {
                ByteBuffer buffer = ByteBuffer.allocateDirect(CHUNK);
                while (channel.read(buffer) >= 0) {
                    buffer.clear();
                }
            }

            @Override
            public double run(Duration time) throws IOException {
                ByteBuffer buffer = ByteBuffer.allocateDirect(CHUNK);
                long start = System.nanoTime();
                long octets = 0;
                while (System.nanoTime() - start < time.toNanos()) {
                    buffer.clear();
                    while (buffer.hasRemaining()) {
                        octets += client().write(buffer);
                    }
                }
                return octets * 1e9 / (System.nanoTime() - start);
            }
        };
    }

    /** Messages of 128 octets back and forth, one at a time. */
    static Case pingPong() throws IOException {
        return new Pair("raw TCP ping-pong") {
            @Override
            void serve(SocketChannel channel) throws IOException {
                ByteBuffer buffer = ByteBuffer.allocateDirect(MESSAGE);
                while (readFully(channel, buffer)) {
                    buffer.flip();
                    writeFully(channel, buffer);
                }
            }

            @Override
            public double run(Duration time) throws IOException {
                ByteBuffer buffer = ByteBuffer.allocateDirect(MESSAGE);
                long start = System.nanoTime();
                long count = 0;
                while (System.nanoTime() - start < time.toNanos()) {
                    buffer.clear();
                    writeFully(client(), buffer);
                    if (!readFully(client(), buffer)) {
                        throw new IOException("the other end has closed");
                    }
                    count++;
                }
                return count * 1e9 / (System.nanoTime() - start);
            }
        };
    }

    private static boolean readFully(SocketChannel channel, ByteBuffer buffer) throws IOException {
        buffer.clear();
        while (buffer.hasRemaining()) {
            if (channel.read(buffer) < 0) {
                return false;
            }
        }
        return true;
    }

    private static void writeFully(SocketChannel channel, ByteBuffer buffer) throws IOException {
        while (buffer.hasRemaining()) {
            channel.write(buffer);
        }
    }

    /** Two connected blocking channels, one of them served by a thread. */
    private abstract static class Pair implements Case {
        private final String name;
        private final SocketChannel client;
        private final SocketChannel server;
        private final Thread thread;

        Pair(String name) throws IOException {
            this.name = name;
            try (ServerSocketChannel listener = ServerSocketChannel.open()) {
                listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
                client = SocketChannel.open(listener.getLocalAddress());
                server = listener.accept();
            }
            client.setOption(StandardSocketOptions.TCP_NODELAY, true);
            server.setOption(StandardSocketOptions.TCP_NODELAY, true);
            thread = new Thread(this::serveUntilClosed, name);
            thread.setDaemon(true);
            thread.start();
        }

        @Override
        public String name() {
            return name;
        }

        SocketChannel client() {
            return client;
        }

        abstract void serve(SocketChannel channel) throws IOException;

        private void serveUntilClosed() {
            try {
                serve(server);
            } catch (IOException e) {
                System.err.println(name + ": " + e);
            }
        }

        @Override
        public void close() throws IOException {
            client.close(); // this ends the thread
            try {
                thread.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            server.close();
        }
    }
}
