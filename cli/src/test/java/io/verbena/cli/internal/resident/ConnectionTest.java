package io.verbena.cli.internal.resident;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.verbena.cli.internal.script.ScriptOutput;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(value = 60, unit = TimeUnit.SECONDS)
final class ConnectionTest {
    @TempDir
    private Path folder;

    private SocketChannel client;
    private FrameReader reader;
    private Connection connection;

    @BeforeEach
    void connect() throws IOException {
        UnixDomainSocketAddress address = UnixDomainSocketAddress.of(folder.resolve("socket"));
        try (ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            listener.bind(address);
            client = SocketChannel.open(address);
            connection = new Connection(listener.accept());
        }
        reader = new FrameReader(client);
    }

    @AfterEach
    void close() throws IOException {
        client.close();
        connection.close();
    }

    private Frame next() throws IOException {
        return reader.read().orElseThrow();
    }

    private static Frame input(String text) {
        return new Frame(Frame.INPUT, text.getBytes(UTF_8));
    }

    @Test
    void shouldKeepTheOrderOfBothOutputsAndAllOctets() throws Exception {
        byte[] octets = new byte[3 << 20];
        new Random(1).nextBytes(octets);
        CompletableFuture<Void> script = CompletableFuture.runAsync(() -> {
            PrintStream out = connection.output(Frame.OUT);
            PrintStream err = connection.output(Frame.ERR);
            out.print("first\n");
            err.print("second\n");
            out.write(octets, 0, octets.length);
            out.flush();
            connection.finish();
        });

        assertThat(next().content()).asString(UTF_8).isEqualTo("first\n");
        assertThat(next()).satisfies(frame -> assertThat(frame.type()).isEqualTo(Frame.ERR));
        ByteArrayOutputStream got = new ByteArrayOutputStream();
        while (got.size() < octets.length) {
            got.writeBytes(next().content());
        }
        assertThat(got.toByteArray()).isEqualTo(octets);
        assertThat(reader.read()).isEmpty();
        script.get();
    }

    /** An interrupt of a thread in a write to the socket itself would close it. */
    @Test
    void shouldSendAllOutputOfAThreadThatIsInterrupted() throws Exception {
        CompletableFuture<Boolean> script = CompletableFuture.supplyAsync(() -> {
            Thread.currentThread().interrupt();
            PrintStream out = connection.output(Frame.OUT);
            out.write(new byte[1 << 20], 0, 1 << 20);
            out.print("last\n");
            connection.finish();
            return Thread.interrupted();
        });

        int length = 0;
        byte[] last = {};
        for (var frame = reader.read(); frame.isPresent(); frame = reader.read()) {
            last = frame.get().content();
            length += last.length;
        }
        assertThat(length).isEqualTo((1 << 20) + 5);
        assertThat(last).asString(UTF_8).isEqualTo("last\n");
        assertThat(script.get()).isTrue();
    }

    @Test
    void shouldAskForInputOnlyWhenItIsRead() throws Exception {
        connection.send(Frame.of(Frame.READY));
        assertThat(next().type()).isEqualTo(Frame.READY);
        CompletableFuture<String> script = CompletableFuture.supplyAsync(() -> {
            try {
                return new String(connection.input().readAllBytes(), UTF_8);
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        });

        assertThat(next().type()).isEqualTo(Frame.WANT_INPUT);
        connection.take(input("some "));
        assertThat(next().type()).isEqualTo(Frame.WANT_INPUT);
        connection.take(input("input"));
        assertThat(next().type()).isEqualTo(Frame.WANT_INPUT);
        connection.take(input(""));
        assertThat(script.get()).isEqualTo("some input");
    }

    @Test
    void shouldNotTakeInputThatCannotBeReadForItsEnd() throws Exception {
        CompletableFuture<Throwable> script = CompletableFuture.supplyAsync(
                () -> catchThrowable(() -> connection.input().readAllBytes()));

        assertThat(next().type()).isEqualTo(Frame.WANT_INPUT);
        connection.take(new Frame(Frame.UNREADABLE, "Bad file descriptor".getBytes(UTF_8)));
        assertThat(script.get()).isInstanceOf(IOException.class).hasMessage("Bad file descriptor");
        assertThatThrownBy(() -> connection.input().read()).hasMessage("Bad file descriptor");
    }

    @Test
    void shouldKnowWhyTheClientCouldNotWrite() {
        ScriptOutput out = connection.output(Frame.OUT);
        assertThat(out.isUnread()).isFalse();
        assertThat(out.failure()).isEmpty();

        connection.take(new Frame(Frame.BROKEN, "No space left on device".getBytes(UTF_8)));
        assertThat(out.isUnread()).isFalse();
        assertThat(out.failure()).contains("No space left on device");

        connection.take(Frame.of(Frame.BROKEN));
        assertThat(out.isUnread()).isTrue();
        assertThat(out.failure()).isEmpty();
    }

    @Test
    void shouldKnowWhetherTheClientCouldWrite() throws Exception {
        PrintStream out = connection.output(Frame.OUT);
        out.print("line\n");
        next();
        CompletableFuture<Boolean> first = CompletableFuture.supplyAsync(out::checkError);
        connection.take(new Frame(Frame.SETTLED, next().content()));
        assertThat(first.get()).isFalse();

        out.print("line\n");
        next();
        CompletableFuture<Boolean> second = CompletableFuture.supplyAsync(out::checkError);
        Frame question = next();
        connection.take(Frame.of(Frame.BROKEN));
        connection.take(new Frame(Frame.SETTLED, question.content()));
        assertThat(second.get()).isTrue();
        assertThat(connection.output(Frame.ERR)).satisfies(err -> {
            err.print("still here\n");
            assertThat(next().content()).asString(UTF_8).isEqualTo("still here\n");
        });
    }

    @Test
    void shouldLetNobodyWaitForAClientThatHasGone() throws Exception {
        CompletableFuture<Boolean> writer = CompletableFuture.supplyAsync(() -> {
            PrintStream out = connection.output(Frame.OUT);
            byte[] octets = new byte[1 << 20];
            while (!out.checkError()) {
                out.write(octets, 0, octets.length);
            }
            return true;
        });
        next();
        client.close();
        try {
            assertThat(connection.read()).isEmpty();
        } finally {
            connection.lose();
        }
        assertThat(writer.get()).isTrue();

        // what is lost must not look like the end of what a command reads
        assertThatThrownBy(() -> connection.input().read()).isInstanceOf(IOException.class);
        assertThat(connection.output(Frame.OUT).checkError()).isTrue();
    }
}
