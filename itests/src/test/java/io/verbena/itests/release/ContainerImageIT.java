package io.verbena.itests.release;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.itests.Digests;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import javax.json.Json;
import javax.json.JsonObject;
import javax.json.JsonReader;
import javax.json.JsonString;
import javax.json.JsonStructure;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The container image, unpacked as an engine unpacks it, and run with its own user, environment and entry point. */
final class ContainerImageIT {
    @TempDir
    private Path folder;

    @Test
    void shouldRunAsTheImageSays() throws Exception {
        Path image = ReleaseBuild.packageOf(".tar");
        try (CleanRoot root = CleanRoot.empty(folder)) {
            Path layout = Files.createDirectory(folder.resolve("layout"));
            root.expect(List.of("tar", "xf", image.toString(), "-C", layout.toString()));
            expectNamesToBeDigests(layout.resolve("blobs/sha256"));
            JsonObject index = (JsonObject) json(layout.resolve("index.json"));
            JsonObject manifest = (JsonObject)
                    json(blob(layout, index.getJsonArray("manifests").getJsonObject(0)));
            JsonObject config =
                    ((JsonObject) json(blob(layout, manifest.getJsonObject("config")))).getJsonObject("config");
            for (JsonObject layer : manifest.getJsonArray("layers").getValuesAs(JsonObject.class)) {
                root.expect(List.of(
                        "tar",
                        "xf",
                        blob(layout, layer).toString(),
                        "-C",
                        root.path().toString()));
            }
            expectTheSameForOlderEngines(layout, manifest);
            List<String> environment = texts(config, "Env");

            List<String> usage = new ArrayList<>(texts(config, "Entrypoint"));
            usage.addAll(texts(config, "Cmd"));
            assertThat(root.inside(config.getString("User"), environment, usage).out())
                    .startsWith("Usage: verbena");
            List<String> copy = new ArrayList<>(texts(config, "Entrypoint"));
            copy.addAll(List.of(
                    "-c",
                    "nfs:export /var/lib/verbena; nfs:mount 127.0.0.1:/ w;"
                            + " nfs:put /usr/lib/verbena/jre/lib/modules w:/; nfs:get w:/modules /tmp/copy"));
            ReleaseBuild.Result copied = root.inside(config.getString("User"), environment, copy);

            assertThat(copied.status()).as(copied.out()).isZero();
            assertThat(Digests.ofFile(root.resolve("/tmp/copy")))
                    .isEqualTo(Digests.ofFile(root.resolve("/usr/lib/verbena/jre/lib/modules")));
            assertThat(root.resolve("/usr/lib/verbena/system.cdx.json"))
                    .content()
                    .contains("pkg:deb/debian/libc6@");
            expectWhatThePageSays(root, environment);
        }
    }

    /** The arguments that the page gives to the image, as a user whom the image does not know. */
    private static void expectWhatThePageSays(CleanRoot root, List<String> environment) throws Exception {
        String page = ReleaseBuild.readmeBlock("Install", 1);
        assertThat(page).startsWith("docker load -i verbena-image-*.tar\ndocker run ");
        ReleaseBuild.Result copied = root.beside(
                """
                run() {
                    user=$1
                    shift
                    env -i %s /usr/sbin/chroot --userspec=$user "$root" /usr/bin/verbena "$@"
                }
                mkdir -p "$root/srv/projects" "$root/srv/copy"
                echo 'a,b' > "$root/srv/projects/report.csv"
                chown 12345 "$root/srv/copy"
                run 10001:10001 serve /srv > "$root/server.out" 2>&1 &
                server=$!
                until grep -qs ^exported "$root/server.out"; do
                    kill -0 $server || { cat "$root/server.out"; exit 1; }
                    sleep 0.1
                done
                run 12345:12345 %s"""
                        .formatted(CleanRoot.quoted(environment), page.substring(page.indexOf("-c '"))));

        assertThat(copied.status()).as(copied.out()).isZero();
        assertThat(root.resolve("/srv/copy/report.csv")).hasContent("a,b\n");
    }

    private static void expectNamesToBeDigests(Path blobs) throws IOException {
        try (Stream<Path> files = Files.list(blobs)) {
            for (Path file : files.toList()) {
                assertThat(Digests.ofFile(file)).isEqualTo(file.getFileName().toString());
            }
        }
    }

    private static void expectTheSameForOlderEngines(Path layout, JsonObject manifest) throws IOException {
        JsonObject docker = ((javax.json.JsonArray) json(layout.resolve("manifest.json"))).getJsonObject(0);
        assertThat(docker.getString("Config")).endsWith(digest(manifest.getJsonObject("config")));
        assertThat(docker.getJsonArray("Layers").getString(0))
                .endsWith(digest(manifest.getJsonArray("layers").getJsonObject(0)));
        assertThat(docker.getJsonArray("RepoTags").getString(0)).isEqualTo("verbena:" + ReleaseBuild.version());
    }

    private static List<String> texts(JsonObject config, String key) {
        return config.getJsonArray(key).getValuesAs(JsonString.class).stream()
                .map(JsonString::getString)
                .toList();
    }

    private static Path blob(Path layout, JsonObject descriptor) {
        return layout.resolve("blobs/sha256").resolve(digest(descriptor));
    }

    private static String digest(JsonObject descriptor) {
        return descriptor.getString("digest").substring("sha256:".length());
    }

    private static JsonStructure json(Path file) throws IOException {
        try (Reader in = Files.newBufferedReader(file);
                JsonReader reader = Json.createReader(in)) {
            return reader.read();
        }
    }
}
