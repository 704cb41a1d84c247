package io.verbena.rpcrdma.dispatcher.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.rpc.RpcCall;
import io.verbena.rpc.RpcConnection;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What JDK Flight Recorder is told of a call's stages. */
class CallEventsTest {
    private static final List<String> STAGES = List.of("Queued", "Registered", "Sent", "Replied", "Completed");

    @TempDir
    private Path folder;

    private List<RecordedEvent> record(boolean enabled) throws Exception {
        Path file = folder.resolve("calls.jfr");
        try (TransportPair rig = new TransportPair(new MemoryFabric());
                Recording recording = new Recording()) {
            if (enabled) {
                STAGES.forEach(stage -> recording.enable("io.verbena.rpc." + stage));
            }
            recording.start();
            RpcConnection connection =
                    rig.connect(rig.listen(new EchoProgram()), 4, Map.of("label", "docs", "rpcrdma", "1"));
            RpcCall call = TransportPair.call(EchoProgram.WRITE);
            call.arguments()
                    .putInt(1)
                    .putOpaque(new byte[10])
                    .putData(ByteBuffer.allocateDirect(100_000))
                    .putInt(2);
            connection.call(call, in -> in.getInt()).get(10, TimeUnit.SECONDS);
            recording.stop();
            recording.dump(file);
        }
        return RecordingFile.readAllEvents(file).stream()
                .filter(event -> event.getEventType().getName().startsWith("io.verbena."))
                .sorted(Comparator.comparing(RecordedEvent::getStartTime))
                .toList();
    }

    @Test
    void shouldTellOfEachStage() throws Exception {
        List<RecordedEvent> events = record(true);

        assertThat(events)
                .extracting(event -> event.getEventType().getName())
                .containsExactlyElementsOf(
                        STAGES.stream().map(stage -> "io.verbena.rpc." + stage).toList());
        assertThat(events).allSatisfy(event -> {
            assertThat(event.getString("mount")).isEqualTo("docs");
            assertThat(event.getInt("procedure")).isEqualTo(EchoProgram.WRITE);
        });
        String xid = events.get(2).getString("xid");
        assertThat(xid).matches("0x[0-9a-f]{8}");
        assertThat(events.get(3).getString("xid")).isEqualTo(xid);
        assertThat(events.get(1).getLong("toRead")).isEqualTo(100_000);
        assertThat(events.get(2).getInt("version")).isEqualTo(1);
        assertThat(events.get(2).getLong("octets")).isBetween(1L, 4096L);
        assertThat(events.get(4).getString("failure")).isNull();
    }

    @Test
    void shouldTellNothingUnlessAskedTo() throws Exception {
        assertThat(record(false)).isEmpty();
    }
}
