package io.verbena.nfs41.server.internal;

import static io.verbena.nfs41.server.internal.TestClient.fh;
import static io.verbena.nfs41.server.internal.TestClient.look;
import static io.verbena.nfs41.server.internal.TestClient.root;
import static io.verbena.nfs41.server.internal.TestClient.unchecked;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.dirfd.Directory;
import io.verbena.dirfd.FileReference;
import io.verbena.dirfd.host.Directories;
import io.verbena.nfs41.AttributeMask;
import io.verbena.nfs41.Attributes;
import io.verbena.nfs41.Create;
import io.verbena.nfs41.FileHandle;
import io.verbena.nfs41.Link;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.OpenHow;
import io.verbena.nfs41.ReadDir;
import io.verbena.nfs41.ReadLink;
import io.verbena.nfs41.Remove;
import io.verbena.nfs41.Rename;
import io.verbena.nfs41.SaveFh;
import io.verbena.nfs41.StableHow;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.server.internal.TestClient.Op;
import io.verbena.nfs41.server.internal.TestClient.Opened;
import io.verbena.nfs41.server.internal.TestClient.Reply;
import io.verbena.nfs41.server.internal.ops.ExportSettings;
import io.verbena.nfs41.server.internal.ops.Squash;
import io.verbena.runtime.SystemRuntime;
import io.verbena.text.OctetText;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A name is its octets, whether they are UTF-8 or not, and whatever the JVM takes for text. */
class OctetNamesTest extends ServerFixture {
    /** Every octet that a name may have, ill-formed UTF-8, and the longest name. */
    static List<byte[]> names() {
        List<byte[]> names = new ArrayList<>();
        for (int octet = 1; octet < 256; octet++) {
            if (octet != '/' && octet != '.') {
                names.add(new byte[] {(byte) octet});
            }
        }
        for (String each : List.of(
                "caf\u00e9.txt", // Latin-1
                "\u00c0\u00af", // a slash in more octets than it takes
                "\u00ed\u00b2\u0080", // a surrogate
                "\u00f5\u0080\u0080\u0080", // beyond Unicode
                "caf\u00c3\u00a9", // UTF-8
                "...",
                "-rf",
                "a\nb",
                "%41",
                "\u00e9".repeat(255))) {
            names.add(each.getBytes(StandardCharsets.ISO_8859_1));
        }
        return names;
    }

    private static byte[] other(byte[] name) {
        byte[] other = name.clone();
        other[0] = name[0] == 'z' ? (byte) 'y' : (byte) 'z';
        return other;
    }

    @Test
    void shouldListWhatIsThereOctetByOctet() throws Exception {
        try (Directory local = Directories.open(directory)) {
            for (byte[] name : names()) {
                local.createFile(name, 0644).close();
            }
        }
        assertThat(listed(client, client.handle()))
                .containsExactlyInAnyOrderElementsOf(
                        names().stream().map(OctetText::decode).toList());
    }

    @Test
    void shouldDoEverythingWithEveryName() throws Exception {
        workThrough(client, directory);
    }

    @Test
    void shouldDoTheSameWhereTheJvmTakesNothingButAsciiForText() throws Exception {
        List<String> command = List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                OctetNamesTest.class.getName(),
                temporary.toString());
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("LC_ALL", "C");
        Path output = temporary.resolve("output");
        Process process = builder.redirectOutput(output.toFile()).start();
        try {
            assertThat(process.waitFor(120, TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue())
                    .as(Files.readString(output, StandardCharsets.ISO_8859_1))
                    .isZero();
            assertThat(output).content(StandardCharsets.ISO_8859_1).contains("all names in ANSI_X3.4-1968");
        } finally {
            process.destroyForcibly();
        }
    }

    /** In another JVM; fails by its exit status. */
    public static void main(String[] args) throws Exception {
        Path directory = Files.createDirectory(Path.of(args[0], "ascii"));
        ExportSettings settings =
                ExportSettings.of("docs", directory).withSquash(new Squash(Squash.Mode.NONE, 65534, 65534));
        try (NfsServer server = new NfsServer(settings, Path.of(args[0], "ascii-state"), new SystemRuntime())) {
            workThrough(TestClient.connected(server, "first"), directory);
        }
        System.out.println("all names in " + System.getProperty("sun.jnu.encoding"));
    }

    private static void workThrough(TestClient client, Path directory) throws Exception {
        try (Directory local = Directories.open(directory)) {
            for (byte[] octets : names()) {
                String name = OctetText.decode(octets);
                String renamed = OctetText.decode(other(octets));
                files(client, local, octets, name, renamed);
                directories(client, local, octets, name);
                links(client, local, octets, name);
                assertThat(listed(client, client.handle())).isEmpty();
            }
        }
    }

    private static void files(TestClient client, Directory local, byte[] octets, String name, String renamed)
            throws Exception {
        Opened made = client.opened(name, 3, 0, unchecked(0644));
        client.write(made, 0, "content", StableHow.FILE_SYNC4);
        client.close(made);
        assertThat(local.status(octets).size()).isEqualTo(7);
        assertThat(listed(client, client.handle())).containsExactly(name);
        Opened opened = client.opened(name, 1, 0, new OpenHow.NoCreate());
        assertThat(client.read(opened, 0, 100)).isEqualTo("content");
        client.close(opened);
        Op link = out -> Link.encodeArgs(out, new Link.Args(renamed));
        done(client.inSession(root(), look(name), SaveFh::encodeArgs, root(), link));
        done(client.inSession(root(), remove(name)));
        Op rename = out -> Rename.encodeArgs(out, new Rename.Args(renamed, name));
        done(client.inSession(root(), SaveFh::encodeArgs, root(), rename));
        assertThat(local.status(octets).linkCount()).isEqualTo(1);
        done(client.inSession(root(), remove(name)));
        assertThat(local.status(octets)).isNull();
    }

    private static void directories(TestClient client, Directory local, byte[] octets, String name) throws Exception {
        done(client.inSession(root(), create(Create.directory(name, Attributes.EMPTY))));
        try (Directory inner = local.openDirectory(octets)) {
            inner.createFile(octets, 0644).close();
        }
        assertThat(listed(client, client.handle(name))).containsExactly(name);
        done(client.inSession(fh(client.handle(name)), remove(name)));
        done(client.inSession(root(), remove(name)));
    }

    private static void links(TestClient client, Directory local, byte[] octets, String name) throws Exception {
        byte[] text = ("../" + new String(octets, StandardCharsets.ISO_8859_1) + "//x/")
                .getBytes(StandardCharsets.ISO_8859_1);
        done(client.inSession(root(), create(Create.symbolicLink(name, OctetText.decode(text), Attributes.EMPTY))));
        try (FileReference link = local.refer(octets)) {
            assertThat(link.readLink()).isEqualTo(text);
        }
        Reply reply = client.inSession(root(), look(name), ReadLink::encodeArgs);
        reply.ok(Opcode.PUTROOTFH, Opcode.LOOKUP, Opcode.READLINK);
        assertThat(ReadLink.decodeResult(reply.in).text()).isEqualTo(OctetText.decode(text));
        done(client.inSession(root(), remove(name)));
    }

    private static void done(Reply reply) {
        assertThat(reply.status()).isEqualTo(Status.NFS4_OK);
    }

    private static Op remove(String name) {
        return out -> Remove.encodeArgs(out, new Remove.Args(name));
    }

    private static Op create(Create.Args args) {
        return out -> Create.encodeArgs(out, args);
    }

    private static List<String> listed(TestClient client, FileHandle directory) throws Exception {
        List<String> names = new ArrayList<>();
        long cookie = 0;
        long verifier = 0;
        while (true) {
            ReadDir.Args args = new ReadDir.Args(cookie, verifier, 4096, 32_768, AttributeMask.of());
            Reply reply = client.inSession(fh(directory), out -> ReadDir.encodeArgs(out, args));
            reply.ok(Opcode.PUTFH, Opcode.READDIR);
            ReadDir.Result page = ReadDir.decodeResult(reply.in);
            page.entries().forEach(entry -> names.add(entry.name()));
            if (page.eof()) {
                return names;
            }
            cookie = page.entries().get(page.entries().size() - 1).cookie();
            verifier = page.cookieVerifier();
        }
    }
}
