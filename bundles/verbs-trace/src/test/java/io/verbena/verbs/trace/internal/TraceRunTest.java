package io.verbena.verbs.trace.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.verbs.WireConnection;
import io.verbena.verbs.WireMessage;
import io.verbena.verbs.WireMessage.Kind;
import io.verbena.verbs.trace.TraceStatus;
import io.verbena.verbs.trace.capture.CaptureFpduWriter;
import io.verbena.verbs.trace.capture.CaptureHandler;
import io.verbena.verbs.trace.capture.CaptureSummary;
import io.verbena.verbs.trace.capture.CapturedConnection;
import io.verbena.verbs.trace.capture.IwarpCapture;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** Events of connections, read again from the written file. */
class TraceRunTest {
    private static final Path PATH = Path.of("trace.pcapng");
    private static final InetSocketAddress CLIENT = new InetSocketAddress("192.0.2.1", 50_000);
    private static final InetSocketAddress SERVER = new InetSocketAddress("192.0.2.2", 20_049);
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private final ByteArrayOutputStream file = new ByteArrayOutputStream();
    private final List<String> sends = new ArrayList<>();
    private final List<String> problems = new ArrayList<>();
    private int frames;
    private CaptureSummary summary;

    private static WireConnection end(String provider, boolean initiator) {
        return new WireConnection(
                provider, "dev0", initiator ? CLIENT : SERVER, initiator ? SERVER : CLIENT, initiator);
    }

    private static ByteBuffer octets(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII));
    }

    private static void message(
            TraceRun run, WireConnection connection, boolean sent, Kind kind, int tag, int number, String data) {
        ByteBuffer octets = octets(data);
        run.onMessage(connection, sent, new WireMessage(kind, tag, 0, octets.remaining(), number), octets);
    }

    private void read() throws IOException {
        summary = IwarpCapture.read(new ByteArrayInputStream(file.toByteArray()), new CaptureHandler() {
            @Override
            public void onFrame(CapturedConnection connection, ByteBuffer octets, long packet, Instant time) {
                frames++;
            }

            @Override
            public void onSend(
                    CapturedConnection connection, ByteBuffer message, Integer tag, long packet, Instant time) {
                boolean request = connection.source().equals(CLIENT);
                sends.add((request ? "> " : "< ")
                        + StandardCharsets.US_ASCII.decode(message.duplicate())
                        + (tag == null ? "" : " invalidates " + tag));
            }

            @Override
            public void onProblem(String problem) {
                problems.add(problem);
            }
        });
    }

    private TraceRun start(OutputStream out, long maxWaiting) throws IOException {
        TraceRun run = new TraceRun(PATH, out, maxWaiting);
        run.start();
        return run;
    }

    @Test
    void shouldMakeFramesOfADevicesMessages() throws IOException {
        TraceRun run = start(file, 1 << 20);
        WireConnection server = end("native", false);
        message(run, server, false, Kind.CONNECT_REQUEST, 0, 0, "private");
        message(run, server, true, Kind.CONNECT_REPLY, 0, 0, "data");
        message(run, server, false, Kind.SEND, 0, 0, "call");
        run.onMessage(server, true, new WireMessage(Kind.READ_REQUEST, 5, 6, 4, 9), NOTHING);
        message(run, server, false, Kind.READ_RESPONSE, 0, 9, "read");
        message(run, server, true, Kind.WRITE, 7, 0, "written");
        message(run, server, true, Kind.SEND_WITH_INVALIDATE, 5, 0, "reply");
        run.onEnd(server);
        TraceStatus status = run.stop();

        read();
        assertThat(problems).isEmpty();
        assertThat(sends).containsExactly("> call", "< reply invalidates 5");
        assertThat(frames).isEqualTo(7);
        assertThat(status.frames()).isEqualTo(7);
        assertThat(status.connections()).isOne();
        assertThat(file.toString(StandardCharsets.ISO_8859_1))
                .contains("RDMA provider native, device dev0", "dev0", "Verbena rdma:trace", "only the device sees");
    }

    @Test
    void shouldBeginAConnectionThatStoodBefore() throws IOException {
        TraceRun run = start(file, 1 << 20);
        WireConnection client = end("iwarp", true);
        new CaptureFpduWriter(frame ->
                        run.onFrame(client, true, List.of(frame.slice(0, 5), frame.slice(5, frame.limit() - 5))))
                .send(octets("call"));
        new CaptureFpduWriter(frame -> run.onFrame(client, false, List.of(frame))).send(octets("reply"));
        WireConnection device = end("native", true);
        run.stop();

        read();
        assertThat(problems).isEmpty();
        assertThat(sends).containsExactly("> call", "< reply");
        assertThat(frames).isEqualTo(4);
        assertThat(file.toString(StandardCharsets.ISO_8859_1)).contains("The connection began before the trace");
        assertThat(device.toString()).isEqualTo("native /192.0.2.1:50000 to /192.0.2.2:20049");
    }

    @Test
    void shouldWriteOnceWhatBothEndsTell() throws IOException {
        TraceRun run = start(file, 1 << 20);
        WireConnection client = end("native", true);
        WireConnection server = end("native", false);
        message(run, client, true, Kind.SEND, 0, 0, "call");
        message(run, server, false, Kind.SEND, 0, 0, "call again");
        run.onMessage(server, true, new WireMessage(Kind.READ_REQUEST, 5, 6, 4, 9), NOTHING);
        message(run, server, false, Kind.READ_RESPONSE, 0, 9, "read");
        message(run, server, true, Kind.SEND, 0, 0, "reply");
        message(run, client, false, Kind.SEND, 0, 0, "reply again");
        run.onEnd(client);
        run.onEnd(server);
        assertThat(run.stop().connections()).isOne();

        read();
        assertThat(problems).isEmpty();
        assertThat(sends).containsExactly("> call", "< reply");
        assertThat(frames).as("with the read, and a handshake").isEqualTo(6);
    }

    @Test
    void shouldNotWriteAgainWhatIsReceivedWhenItsSenderHasEnded() throws IOException {
        TraceRun run = start(file, 1 << 20);
        WireConnection client = end("native", true);
        WireConnection server = end("native", false);
        message(run, client, true, Kind.SEND, 0, 0, "call");
        message(run, server, false, Kind.SEND, 0, 0, "call");
        message(run, client, true, Kind.SEND, 0, 0, "last");
        run.onEnd(client);
        message(run, server, false, Kind.SEND, 0, 0, "last");
        run.onEnd(server);
        run.stop();

        read();
        assertThat(problems).isEmpty();
        assertThat(sends).containsExactly("> call", "> last");
    }

    @Test
    void shouldWriteBothDirectionsOfAConnectionBetweenTwoProviders() throws IOException {
        TraceRun run = start(file, 1 << 20);
        WireConnection client = end("iwarp", true);
        WireConnection server = end("native", false);
        new CaptureFpduWriter(frame -> run.onFrame(client, true, List.of(frame))).send(octets("call"));
        message(run, server, false, Kind.SEND, 0, 0, "call");
        message(run, server, true, Kind.SEND, 0, 0, "reply");
        CaptureFpduWriter received = new CaptureFpduWriter(frame -> run.onFrame(client, false, List.of(frame)));
        received.readResponse(1, octets("read")); // only the reading end reports it
        received.send(octets("reply"));
        assertThat(run.stop().connections()).isOne();

        read();
        assertThat(problems).isEmpty();
        assertThat(sends).containsExactly("> call", "< reply");
        assertThat(frames).as("with the read, and a handshake").isEqualTo(5);
    }

    /** A file that accepts no data for a while. */
    private static final class Slow extends OutputStream {
        private final CountDownLatch written = new CountDownLatch(1);
        private final CountDownLatch go = new CountDownLatch(1);
        private final OutputStream target;
        private boolean begun;

        private Slow(OutputStream target) {
            this.target = target;
        }

        @Override
        public void write(int b) {
            throw new AssertionError("written by the octet");
        }

        @Override
        public void write(byte[] octets, int offset, int length) throws IOException {
            if (begun) {
                written.countDown();
                try {
                    go.await();
                } catch (InterruptedException e) {
                    throw new IOException(e);
                }
            }
            begun = true; // the starting thread writes the section's header
            target.write(octets, offset, length);
        }
    }

    @Test
    void shouldDropAndCountWhatComesTooFast() throws Exception {
        Slow slow = new Slow(file);
        TraceRun run = start(slow, 1000);
        WireConnection client = end("iwarp", true);
        CaptureFpduWriter calls = new CaptureFpduWriter(frame -> run.onFrame(client, true, List.of(frame)));
        calls.send(octets("first"));
        slow.written.await();
        for (int i = 0; i < 20; i++) {
            calls.send(octets("call " + i));
        }
        long dropped = run.status().dropped();
        slow.go.countDown();
        TraceStatus status = run.stop();

        assertThat(dropped).isBetween(10L, 19L);
        assertThat(status.dropped()).isEqualTo(dropped);
        assertThat(status.frames()).isEqualTo(2 + 21 - dropped);
        assertThat(file.toString(StandardCharsets.ISO_8859_1)).contains("dropped since they came too fast: " + dropped);
        read();
        assertThat(sends).startsWith("> first", "> call 0");
    }

    @Test
    void shouldTellOfAFileThatCannotBeWritten() throws Exception {
        OutputStream full = new OutputStream() {
            private int writes;

            @Override
            public void write(int b) throws IOException {
                throw new IOException("No space left on device");
            }

            @Override
            public void write(byte[] octets, int offset, int length) throws IOException {
                if (writes++ > 0) {
                    write(0);
                }
            }
        };
        TraceRun run = start(full, 1000);
        message(run, end("native", true), true, Kind.SEND, 0, 0, "call");

        assertThatThrownBy(run::stop)
                .isInstanceOf(IOException.class)
                .hasMessage("trace.pcapng: the trace was not written to its end: No space left on device");
        message(run, end("native", true), true, Kind.SEND, 0, 0, "told to nobody");
    }

    @Test
    void shouldGiveUpAFileThatTakesNothing() throws Exception {
        Slow stuck = new Slow(file);
        TraceRun run = start(stuck, 1000);
        message(run, end("native", true), true, Kind.SEND, 0, 0, "call");
        stuck.written.await();

        assertThatThrownBy(() -> run.stop(1))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith("trace.pcapng: the trace was not written to its end: ");
        assertThat(run.status().failure()).isNotEmpty();
    }

    @Test
    void shouldNotTakeAFileForWholeWhoseWriterHasDied() throws Exception {
        OutputStream dying = new OutputStream() {
            private int writes;

            @Override
            public void write(int b) {
                throw new AssertionError("written by the octet");
            }

            @Override
            public void write(byte[] octets, int offset, int length) {
                if (writes++ > 0) {
                    throw new OutOfMemoryError("of the test");
                }
            }
        };
        TraceRun run = start(dying, 1000);
        message(run, end("native", true), true, Kind.SEND, 0, 0, "call");

        assertThatThrownBy(run::stop)
                .isInstanceOf(IOException.class)
                .hasMessage("trace.pcapng: the trace was not written to its end: of the test");
    }

    @Test
    void shouldLeaveNoThread() throws Exception {
        TraceRun run = start(file, 1000);
        run.stop();

        read();
        assertThat(summary.packets()).isZero();
        assertThat(Thread.getAllStackTraces().keySet())
                .extracting(Thread::getName)
                .doesNotContain("rdma-trace");
    }
}
