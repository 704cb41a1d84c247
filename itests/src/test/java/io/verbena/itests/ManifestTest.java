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
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The headers of bundles. */
final class ManifestTest {
    /** Our packages in a header without directives that name packages. */
    private static final Pattern IMPORTED = Pattern.compile("io\\.verbena(\\.[a-z0-9]+)+");

    @Test
    void shouldInheritHeadersOfTheTop() throws IOException {
        Map<String, Attributes> bundles = bundles();

        assertThat(bundles.keySet()).isEqualTo(Bundles.ALL);
        assertThat(bundles).allSatisfy((name, headers) -> {
            assertThat(headers.getValue("Bundle-Vendor")).isEqualTo("Verbena");
            assertThat(headers.getValue("Bundle-Description")).isNotBlank();
        });
    }

    /**
     * A bundle is refreshed with what it imports: a refresh below mounts must not take the shell with it. The metrics
     * and the text are what the contract of mounts is made of, and below nothing that implements. The copy engine is
     * above mounts, and imports nothing else but the runtime, as the memory does, and the local files that it copies.
     */
    @Test
    void shouldKeepTheShellApartFromWhatLiesBelowMounts() throws IOException {
        String imports = bundles().get("io.verbena.cli").getValue("Import-Package");

        assertThat(IMPORTED.matcher(imports).results().map(MatchResult::group))
                .containsExactlyInAnyOrder(
                        "io.verbena.fuse",
                        "io.verbena.memory",
                        "io.verbena.metrics",
                        "io.verbena.nfs",
                        "io.verbena.nfs.transfer",
                        "io.verbena.nfs.transfer.walk",
                        "io.verbena.text");
        assertThat(IMPORTED.matcher(bundles().get("io.verbena.nfs.transfer").getValue("Import-Package"))
                        .results()
                        .map(MatchResult::group))
                .containsExactlyInAnyOrder(
                        "io.verbena.dirfd",
                        "io.verbena.dirfd.host",
                        "io.verbena.memory",
                        "io.verbena.nfs",
                        "io.verbena.runtime",
                        "io.verbena.text");
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
