package io.verbena.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

@EnabledOnOs(OS.LINUX)
final class ProcessorTest {
    @Test
    void shouldKeepAThreadAndThoseThatItMakesOnOneProcessor() {
        List<String> seen = new ArrayList<>();
        run(() -> {
            Processor.keep(1);
            seen.add(processors());
            run(() -> seen.add(processors()));
        });

        assertThat(seen).hasSize(2).allMatch(each -> each.equals(seen.get(0)) && each.matches("[0-9]+"));
    }

    private static void run(Runnable task) {
        Thread thread = new Thread(task);
        thread.start();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** The processors that the calling thread may use, as the kernel writes them. */
    private static String processors() {
        try {
            return Files.readAllLines(Path.of("/proc/thread-self/status")).stream()
                    .filter(line -> line.startsWith("Cpus_allowed_list:"))
                    .findFirst()
                    .orElseThrow()
                    .split("\\s+", 2)[1];
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
