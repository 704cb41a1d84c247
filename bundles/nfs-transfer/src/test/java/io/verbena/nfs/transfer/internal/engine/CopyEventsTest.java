package io.verbena.nfs.transfer.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.AccessDeniedException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;

/** Tests the Flight Recorder events of copies. */
class CopyEventsTest extends TransferCase {
    @Test
    void shouldTellOfCopiesAndOfFilesThatAreLargeOrFail() throws Exception {
        write(served.resolve("tree/large"), 17 << 20);
        write(served.resolve("tree/small"), 10);
        write(served.resolve("tree/x"), 20);
        mount.hook((operation, path, position) -> {
            if (operation.equals("open") && path.endsWith("/x")) {
                throw new AccessDeniedException(path);
            }
        });
        Path file = local.resolve("recording.jfr");
        try (Recording recording = new Recording()) {
            List.of("Started", "Ended", "File").forEach(name -> recording.enable("io.verbena.transfer." + name));
            recording.start();
            host.engine().copy(there("/tree"), here("tree"), TREE).run();
            recording.stop();
            recording.dump(file);
        }

        List<RecordedEvent> files = new ArrayList<>();
        List<RecordedEvent> copies = new ArrayList<>();
        for (RecordedEvent event : RecordingFile.readAllEvents(file)) {
            (event.getEventType().getName().endsWith(".File") ? files : copies).add(event);
        }
        assertThat(copies)
                .extracting(event -> event.getEventType().getName())
                .containsExactly("io.verbena.transfer.Started", "io.verbena.transfer.Ended");
        RecordedEvent ended = copies.get(1);
        assertThat(ended.getString("copy")).isEqualTo("[a:/tree] to " + local + "/tree");
        assertThat(ended.getLong("files")).isEqualTo(2);
        assertThat(ended.getLong("failures")).isEqualTo(1);
        assertThat(ended.getLong("octets")).isEqualTo((17 << 20) + 10);
        assertThat(ended.getLong("octetsPerSecond")).isPositive();
        assertThat(ended.getDuration("took").toNanos()).isPositive();
        assertThat(files)
                .extracting(event -> event.getString("source"))
                .containsExactlyInAnyOrder("a:/tree/large", "a:/tree/x");
        assertThat(files)
                .filteredOn(event -> event.getString("failure") != null)
                .singleElement()
                .satisfies(event -> assertThat(event.getString("failure")).contains("permission denied"));
    }
}
