package io.verbena.packaging;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ContainerImageTest {
    @TempDir
    private Path folder;

    @Test
    void shouldNameItsPartsByTheirDigests() throws Exception {
        Map<String, byte[]> parts = parts(write("one"));
        String index = new String(parts.get("index.json"), StandardCharsets.UTF_8);

        assertThat(parts.keySet())
                .filteredOn(name -> name.startsWith("blobs/sha256/") && !name.endsWith("/"))
                .hasSize(3)
                .allMatch(name -> name.endsWith(digest(parts.get(name))))
                .anyMatch(name -> index.contains(name.substring("blobs/sha256/".length())));
        assertThat(index).contains("\"io.containerd.image.name\":\"docker.io/library/verbena:1.0.0\"");
        assertThat(new String(parts.get("manifest.json"), StandardCharsets.UTF_8))
                .contains("[\"verbena:1.0.0\"]");
    }

    @Test
    void shouldGiveTheVolumeToItsUserAndTheRestToRoot() throws Exception {
        Map<String, byte[]> parts = parts(write("one"));
        byte[] layer = parts.values().stream()
                .filter(ContainerImageTest::isCompressed)
                .findFirst()
                .orElseThrow();
        List<TarArchiveEntry> entries = Built.entries(layer);

        assertThat(entries)
                .filteredOn(each -> each.getLongUserId() != 0)
                .singleElement()
                .satisfies(volume -> {
                    assertThat(volume.getName()).isEqualTo("var/lib/verbena/");
                    assertThat(volume.getLongUserId()).isEqualTo(Long.parseLong(ContainerImage.USER));
                    assertThat(volume.getMode() & 07777).isEqualTo(0700);
                });
        assertThat(entries.stream().map(each -> each.getName().replaceFirst("/$", "")))
                .isSorted();
    }

    @Test
    void shouldBeTheSameTwice() throws Exception {
        assertThat(write("other")).hasSameBinaryContentAs(write("one"));
    }

    private Path write(String name) throws IOException {
        FileTree tree = Built.tree(folder);
        tree.addDirectory("/var/lib/verbena", 0700);
        return ContainerImage.write(tree, Built.description("1.0.0"), Files.createDirectory(folder.resolve(name)));
    }

    private static boolean isCompressed(byte[] part) {
        return part.length > 2 && part[0] == 0x1f && part[1] == (byte) 0x8b;
    }

    private static Map<String, byte[]> parts(Path image) throws IOException {
        Map<String, byte[]> parts = new LinkedHashMap<>();
        try (InputStream in = new ByteArrayInputStream(Files.readAllBytes(image));
                TarArchiveInputStream tar = new TarArchiveInputStream(in)) {
            for (TarArchiveEntry each = tar.getNextEntry(); each != null; each = tar.getNextEntry()) {
                parts.put(each.getName(), tar.readAllBytes());
            }
        }
        return parts;
    }

    private static String digest(byte[] part) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(part));
        } catch (java.security.NoSuchAlgorithmException e) {
            throw new IllegalStateException(e); // every JDK has it
        }
    }
}
