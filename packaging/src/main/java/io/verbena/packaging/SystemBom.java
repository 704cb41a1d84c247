package io.verbena.packaging;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The bill of materials (CycloneDX 1.5) of what a package has besides the distribution's jars, whose own is
 * {@code bom.cdx.json}: the Java runtime, and in an image the system's packages.
 */
final class SystemBom {
    private SystemBom() {}

    static String of(Path runtime, Description description, List<String> packages) throws IOException {
        List<String> components = new ArrayList<>();
        components.add(
                """
                    { "type": "platform", "name": "openjdk", "version": "%s", "publisher": "%s",
                      "hashes": [ { "alg": "SHA-256", "content": "%s" } ],
                      "evidence": { "occurrences": [ { "location": "jre/lib/modules" } ] } }"""
                        .formatted(
                                JavaRuntime.release(runtime, "JAVA_RUNTIME_VERSION"),
                                JavaRuntime.release(runtime, "IMPLEMENTOR"),
                                ContainerImage.digest(runtime.resolve("lib/modules"))));
        for (String each : packages) {
            String[] words = each.split(" ", 2);
            components.add(
                    "    { \"type\": \"library\", \"name\": \"%1$s\", \"version\": \"%2$s\", \"purl\": \"%3$s\" }"
                            .formatted(words[0], words[1], "pkg:deb/debian/" + words[0] + "@" + words[1]));
        }
        return """
                {
                  "bomFormat": "CycloneDX",
                  "specVersion": "1.5",
                  "version": 1,
                  "metadata": { "component": { "type": "application", "name": "verbena", "version": "%s" } },
                  "components": [
                %s
                  ]
                }
                """
                .formatted(description.version(), String.join(",\n", components));
    }
}
