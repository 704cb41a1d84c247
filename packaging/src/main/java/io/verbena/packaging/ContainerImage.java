package io.verbena.packaging;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Map;
import java.util.Set;
import java.util.zip.GZIPOutputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.apache.commons.compress.archivers.tar.TarConstants;

/**
 * A container image in one archive, in the layout of OCI's image specification 1.0 ({@code podman load},
 * {@code skopeo copy oci-archive:}), with the file {@code manifest.json} that older versions of {@code docker load}
 * read.
 */
final class ContainerImage {
    /** The user and the group of a container, who owns the volume. */
    static final String USER = "10001";

    private static final Set<String> OF_USER = Set.of("/var/lib/verbena");

    private ContainerImage() {}

    static Path write(FileTree tree, Description description, Path folder) throws IOException {
        Path layer = folder.resolve("layer.tar.gz");
        String diffId = writeLayer(tree, description, layer);
        String layerDigest = digest(layer);
        String config = config(description, diffId);
        String configDigest = digest(config);
        String manifest =
                """
                {"schemaVersion":2,"mediaType":"application/vnd.oci.image.manifest.v1+json",\
                "config":{"mediaType":"application/vnd.oci.image.config.v1+json","digest":"sha256:%s","size":%d},\
                "layers":[{"mediaType":"application/vnd.oci.image.layer.v1.tar+gzip",\
                "digest":"sha256:%s","size":%d}]}"""
                        .formatted(configDigest, length(config), layerDigest, Files.size(layer));
        String name = Description.NAME + ":" + description.version();
        String index =
                """
                {"schemaVersion":2,"mediaType":"application/vnd.oci.image.index.v1+json","manifests":[{\
                "mediaType":"application/vnd.oci.image.manifest.v1+json","digest":"sha256:%s","size":%d,"annotations":{\
                "io.containerd.image.name":"docker.io/library/%s","org.opencontainers.image.ref.name":"%s"}}]}"""
                        .formatted(digest(manifest), length(manifest), name, description.version());
        String docker = "[{\"Config\":\"blobs/sha256/%s\",\"RepoTags\":[\"%s\"],\"Layers\":[\"blobs/sha256/%s\"]}]"
                .formatted(configDigest, name, layerDigest);

        FileTree archive = new FileTree();
        archive.addText("/oci-layout", "{\"imageLayoutVersion\":\"1.0.0\"}");
        archive.addText("/index.json", index);
        archive.addText("/manifest.json", docker);
        archive.addText("/blobs/sha256/" + digest(manifest), manifest);
        archive.addText("/blobs/sha256/" + configDigest, config);
        archive.addFile("/blobs/sha256/" + layerDigest, layer);
        Path image = description.in(
                folder, "-image-" + description.version() + "-" + Description.debianArchitecture() + ".tar");
        try (OutputStream out = Files.newOutputStream(image)) {
            writeTar(archive, description, out);
        }
        Files.delete(layer);
        return image;
    }

    /** The user's volume keeps what --state names; without arguments the image tells how it is used. */
    private static String config(Description description, String diffId) {
        return """
                {"created":"%s","architecture":"%s","os":"linux",\
                "config":{"User":"%s:%s","ExposedPorts":{"20049/tcp":{}},\
                "Env":["PATH=/usr/bin","LC_ALL=C.UTF-8","HOME=/var/lib/verbena"],"Entrypoint":["/usr/bin/verbena"],\
                "Cmd":["--help"],"Volumes":{"/var/lib/verbena":{}},"WorkingDir":"/var/lib/verbena",\
                "StopSignal":"SIGTERM"},"rootfs":{"type":"layers","diff_ids":["sha256:%s"]},\
                "history":[{"created":"%s","comment":"%s"}]}"""
                .formatted(
                        description.time(),
                        Description.debianArchitecture(),
                        USER,
                        USER,
                        diffId,
                        description.time(),
                        Description.SUMMARY);
    }

    /** Writes the compressed layer, and returns the digest of what was compressed. */
    private static String writeLayer(FileTree tree, Description description, Path layer) throws IOException {
        MessageDigest digest = sha256();
        try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(layer));
                OutputStream digested = new java.security.DigestOutputStream(out, digest)) {
            writeTar(tree, description, digested);
        }
        return HexFormat.of().formatHex(digest.digest());
    }

    private static void writeTar(FileTree tree, Description description, OutputStream out) throws IOException {
        try (TarArchiveOutputStream tar = new TarArchiveOutputStream(out, StandardCharsets.UTF_8.name())) {
            tar.setLongFileMode(TarArchiveOutputStream.LONGFILE_POSIX);
            for (Map.Entry<String, FileTree.Entry> each : tree.entries().entrySet()) {
                add(tar, each.getKey(), each.getValue(), description);
            }
        }
    }

    private static void add(TarArchiveOutputStream tar, String path, FileTree.Entry entry, Description description)
            throws IOException {
        String name = path.substring(1);
        TarArchiveEntry header =
                switch (entry.kind()) {
                    case DIRECTORY -> new TarArchiveEntry(name + "/");
                    case LINK -> new TarArchiveEntry(name, TarConstants.LF_SYMLINK);
                    case FILE -> new TarArchiveEntry(name);
                };
        if (entry.kind() == FileTree.Kind.LINK) {
            header.setLinkName(entry.target());
        }
        int owner = OF_USER.contains(path) ? Integer.parseInt(USER) : 0;
        header.setIds(owner, owner);
        header.setMode(entry.mode());
        header.setSize(entry.size());
        header.setModTime(description.time().toEpochMilli());
        tar.putArchiveEntry(header);
        if (entry.kind() == FileTree.Kind.FILE) {
            try (InputStream in = entry.open()) {
                in.transferTo(tar);
            }
        }
        tar.closeArchiveEntry();
    }

    static String digest(Path file) throws IOException {
        MessageDigest digest = sha256();
        try (InputStream in = Files.newInputStream(file)) {
            byte[] buffer = new byte[1 << 16];
            for (int octets = in.read(buffer); octets >= 0; octets = in.read(buffer)) {
                digest.update(Arrays.copyOf(buffer, octets));
            }
        }
        return HexFormat.of().formatHex(digest.digest());
    }

    private static String digest(String text) {
        return HexFormat.of().formatHex(sha256().digest(text.getBytes(StandardCharsets.UTF_8)));
    }

    private static int length(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e); // every JDK has it
        }
    }
}
