package io.verbena.fuzzing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The fuzzer of whole systems finds what breaks a promise, and the tree beside them shows every change. */
final class SystemFuzzerTest {
    private static final byte[] SOUND = new byte[32];

    @TempDir
    Path folder;

    private CanaryTree tree;
    private Path top;

    @BeforeEach
    void make() throws IOException {
        top = folder.resolve("outside");
        tree = CanaryTree.make(top);
    }

    private static SystemFuzzer.Target target(AtomicInteger sent, boolean isFaulty) {
        return new SystemFuzzer.Target() {
            @Override
            public byte[] sample(RandomGenerator random) {
                return SOUND.clone();
            }

            @Override
            public int head() {
                return 8;
            }

            @Override
            public String send(byte[] message) {
                sent.incrementAndGet();
                if (isFaulty && message.length > 12 && message[12] != 0) {
                    throw new IllegalStateException("broken");
                }
                return "done";
            }

            @Override
            public void check() {}
        };
    }

    @Test
    void shouldSendEachMessageOnce() {
        AtomicInteger sent = new AtomicInteger();

        SystemFuzzer.run("a sound target", target(sent, false), 500, 1, 100);

        assertThat(sent).hasPositiveValue();
    }

    @Test
    void shouldNameTheSeedAndTheMessageThatBreaksAPromise() {
        assertThatThrownBy(() -> SystemFuzzer.run("a target", target(new AtomicInteger(), true), 5_000, 1, 100))
                .isInstanceOf(FuzzFailure.class)
                .hasMessageContainingAll("a target", "-Dfuzz.seed=", "broken", "the message was ");
    }

    @Test
    void shouldSeeNoChangeWhereThereIsNone() {
        assertThatCode(tree::check).doesNotThrowAnyException();
    }

    @Test
    void shouldSeeContentModesTimesAndNewLinks() throws IOException {
        Files.writeString(top.resolve("file"), "nobody may change THIS");
        assertChanged();
        Files.setAttribute(top.resolve("directory"), "unix:mode", 0751);
        assertChanged();
        Files.setAttribute(top.resolve("link"), "lastModifiedTime", FileTime.fromMillis(1), LinkOption.NOFOLLOW_LINKS);
        assertChanged();
        Files.createLink(folder.resolve("another"), top.resolve("directory/inner"));
        assertChanged();
        Files.createFile(top.resolve("directory/empty/new"));
        assertChanged();
    }

    private void assertChanged() throws IOException {
        assertThatThrownBy(tree::check).isInstanceOf(AssertionError.class).hasMessageContaining("outside has changed");
        top = Files.createDirectory(folder.resolve("outside" + System.nanoTime()));
        tree = CanaryTree.make(top);
    }
}
