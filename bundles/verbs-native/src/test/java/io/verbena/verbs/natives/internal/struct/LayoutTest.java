package io.verbena.verbs.natives.internal.struct;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.verbena.verbs.natives.internal.library.CmEvent;
import io.verbena.verbs.natives.internal.struct.Layout.Member;
import io.verbena.verbs.natives.internal.struct.Layout.Struct;
import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Compares the tables with the installed C headers. Where none are installed, the test is skipped, unless the system
 * property {@code verbena.layout.required} is {@code true}.
 */
final class LayoutTest {
    private static final String INCLUDES =
            """
            #include <errno.h>
            #include <fcntl.h>
            #include <netinet/in.h>
            #include <poll.h>
            #include <stddef.h>
            #include <stdio.h>
            #include <sys/eventfd.h>
            #include <infiniband/verbs.h>
            #include <rdma/rdma_cma.h>
            """;

    @TempDir
    private Path folder;

    @Test
    void shouldMatchInstalledHeaders() throws Exception {
        Map<String, Long> table = table();
        assumeTrue(
                Boolean.getBoolean("verbena.layout.required") || compiles(INCLUDES + "int main(void) { return 0; }"),
                "gcc and the headers of rdma-core");

        assertThat(compiles(probe(table)))
                .as("gcc and the headers of rdma-core are there, and every name is known")
                .isTrue();
        Map<String, Long> found = run();

        assertThat(found).hasSizeGreaterThan(150).isEqualTo(table);
    }

    /** C expressions, and their values in the tables. */
    private static Map<String, Long> table() throws ReflectiveOperationException {
        Map<String, Long> table = new LinkedHashMap<>();
        for (Field constant : NativeConstants.class.getDeclaredFields()) {
            table.put(constant.getName(), value(constant));
        }
        CmEvent.Type[] types = CmEvent.Type.values();
        for (int i = 0; i < types.length; i++) {
            table.put("RDMA_CM_EVENT_" + types[i], (long) i);
        }
        for (Class<?> layout : List.of(Layout.class, CmLayout.class)) {
            for (Class<?> type : layout.getDeclaredClasses()) {
                Struct struct = type.getAnnotation(Struct.class);
                if (struct != null) {
                    add(table, "struct " + struct.value(), type);
                }
            }
        }
        return table;
    }

    private static void add(Map<String, Long> table, String struct, Class<?> type) throws ReflectiveOperationException {
        for (Field field : type.getDeclaredFields()) {
            Member member = field.getAnnotation(Member.class);
            if (member == null) {
                assertThat(field.getName()).isEqualTo("SIZE");
                table.put("sizeof(" + struct + ")", value(field));
            } else {
                table.put("offsetof(" + struct + ", " + member.value() + ")", value(field));
                table.put("sizeof(((" + struct + " *)0)->" + member.value() + ")", (long) member.octets());
            }
        }
    }

    private static long value(Field field) throws ReflectiveOperationException {
        field.setAccessible(true);
        return field.getInt(null);
    }

    private static String probe(Map<String, Long> table) {
        StringBuilder source = new StringBuilder(INCLUDES).append("int main(void) {\n");
        for (String expression : table.keySet()) {
            source.append("  printf(\"%s=%lld\\n\", \"")
                    .append(expression)
                    .append("\", (long long)(")
                    .append(expression)
                    .append("));\n");
        }
        return source.append("  return 0;\n}\n").toString();
    }

    private boolean compiles(String source) throws IOException, InterruptedException {
        Files.writeString(folder.resolve("probe.c"), source);
        return execute("sh", "-c", "gcc -w -o probe probe.c") == 0;
    }

    private Map<String, Long> run() throws IOException, InterruptedException {
        assertThat(execute(folder.resolve("probe").toString())).isZero();
        Map<String, Long> found = new LinkedHashMap<>();
        for (String line : Files.readAllLines(folder.resolve("output"), UTF_8)) {
            int equals = line.lastIndexOf('=');
            found.put(line.substring(0, equals), Long.valueOf(line.substring(equals + 1)));
        }
        return found;
    }

    private int execute(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("output").toFile())
                .start();
        assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
        return process.exitValue();
    }
}
