package io.verbena.cli.internal.script;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;

class LoadedClassesTest {
    @TempDir
    private Path folder;

    private final List<String> asked = new ArrayList<>();
    private Path log;

    @BeforeEach
    void makeLog() {
        log = folder.resolve("loaded");
    }

    /** Bundles with even numbers, which have the classes of this JVM. */
    private BundleContext container() {
        return proxy(
                BundleContext.class,
                (proxy, method, arguments) -> (long) arguments[0] % 2 == 0 ? bundle((long) arguments[0]) : null);
    }

    private Bundle bundle(long id) {
        return proxy(Bundle.class, (proxy, method, arguments) -> {
            asked.add(id + " " + arguments[0]);
            if (arguments[0].equals("java.util.List")) {
                load("java.util.Set source: jar:bundle://ab_4.0:0/!/java/util/Set.class");
            }
            return Class.forName((String) arguments[0]);
        });
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }

    private void load(String line) {
        try {
            Files.writeString(log, line + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void shouldLinkTheClassesOfBundlesAndThoseThatComeWithThem() throws IOException {
        load("java.lang.Object source: shared objects file");
        load("java.util.List source: jar:bundle://0a1b-2c_20.1:0/!/java/util/List.class");
        load("java.util.List$$Lambda$1/0x00007fd9bc040850 source: jar:bundle://0a1b-2c_20.1:0/!/");
        load("java.util.Map source: file:/lib/boot/one.jar");
        load("java.util.List source: jar:bundle://0a1b-2c_20.1:0/!/java/util/List.class");

        LoadedClasses.link(container(), log);

        assertThat(asked).containsExactly("20 java.util.List", "4 java.util.Set");
    }

    @Test
    void shouldGoOnWithoutClassesAndBundlesThatAreMissing() throws IOException {
        load("no.such.Type source: jar:bundle://ab_2.0:0/!/no/such/Type.class");
        load("java.util.Map source: jar:bundle://ab_3.0:0/!/java/util/Map.class");
        load("java.util.Set source: jar:bundle://ab_4.0:0/!/java/util/Set.class");

        LoadedClasses.link(container(), log);

        assertThat(asked).containsExactly("2 no.such.Type", "4 java.util.Set");
    }
}
