package io.verbena.nfs41.server.internal.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nfs41.Opaque;
import io.verbena.runtime.SystemRuntime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GracePeriodTest {
    private static final Opaque ONE = Opaque.of("one");
    private static final Opaque OTHER = Opaque.of("other");

    @TempDir
    Path folder;

    private Path record() {
        return folder.resolve("clients");
    }

    private GracePeriod started() throws IOException {
        return new GracePeriod(record(), Duration.ofHours(1), new SystemRuntime());
    }

    private Object recordKey() throws IOException {
        return Files.readAttributes(record(), BasicFileAttributes.class).fileKey();
    }

    @Test
    void shouldNotWriteTheOthersAgainWhereAClientComes() throws Exception {
        GracePeriod grace = started();
        grace.reclaimComplete(ONE);
        Object key = recordKey();
        grace.reclaimComplete(OTHER);
        assertThat(recordKey()).isEqualTo(key);
        assertThat(Files.readAllLines(record())).containsExactlyInAnyOrder(ONE.toString(), OTHER.toString());
    }

    @Test
    void shouldNotWriteAtAllWhereAClientComesBack() throws Exception {
        GracePeriod before = started();
        before.reclaimComplete(ONE);
        before.reclaimComplete(OTHER);
        byte[] content = Files.readAllBytes(record());
        GracePeriod grace = started();
        assertThat(grace.inGrace()).isTrue();
        grace.reclaimComplete(ONE);
        grace.reclaimComplete(OTHER);
        assertThat(grace.inGrace()).isFalse();
        assertThat(Files.readAllBytes(record())).isEqualTo(content);
    }

    @Test
    void shouldForgetAClientThatWasNotRecordedWhole() throws Exception {
        String torn = OTHER.toString().substring(0, 4);
        Files.writeString(record(), ONE + "\n" + torn);
        GracePeriod grace = started();
        grace.reclaimComplete(OTHER);
        assertThat(Files.readAllLines(record())).containsExactlyInAnyOrder(ONE.toString(), OTHER.toString());
        grace.reclaimComplete(ONE);
        assertThat(grace.inGrace()).isFalse();
    }
}
