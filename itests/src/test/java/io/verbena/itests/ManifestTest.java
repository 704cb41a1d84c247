package io.verbena.itests;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import java.util.jar.Attributes;
import java.util.jar.Manifest;
import org.junit.jupiter.api.Test;

/** Every bundle inherits the headers of the bnd.bnd at the top. */
final class ManifestTest {
    @Test
    void shouldInheritHeadersOfTheTop() throws IOException {
        Map<String, Attributes> bundles = bundles();

        assertThat(bundles.keySet()).isEqualTo(Bundles.ALL);
        assertThat(bundles).allSatisfy((name, headers) -> {
            assertThat(headers.getValue("Bundle-Vendor")).isEqualTo("Verbena");
            assertThat(headers.getValue("Bundle-Description")).isNotBlank();
        });
    }

    private static Map<String, Attributes> bundles() throws IOException {
        Map<String, Attributes> bundles = new TreeMap<>();
        for (URL url : Collections.list(ManifestTest.class.getClassLoader().getResources("META-INF/MANIFEST.MF"))) {
            try (InputStream in = url.openStream()) {
                Attributes headers = new Manifest(in).getMainAttributes();
                String name = headers.getValue("Bundle-SymbolicName");
                if (name != null && name.startsWith("io.verbena.")) {
                    bundles.put(name, headers);
                }
            }
        }
        return bundles;
    }
}
