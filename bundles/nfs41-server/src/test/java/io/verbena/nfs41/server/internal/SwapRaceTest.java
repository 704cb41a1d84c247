package io.verbena.nfs41.server.internal;

import static io.verbena.nfs41.server.internal.TestClient.fh;
import static io.verbena.nfs41.server.internal.TestClient.unchecked;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nfs41.Attribute;
import io.verbena.nfs41.AttributeMask;
import io.verbena.nfs41.Attributes;
import io.verbena.nfs41.Create;
import io.verbena.nfs41.FileHandle;
import io.verbena.nfs41.Link;
import io.verbena.nfs41.NfsTime;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.ReadDir;
import io.verbena.nfs41.Remove;
import io.verbena.nfs41.Rename;
import io.verbena.nfs41.SaveFh;
import io.verbena.nfs41.SetTime;
import io.verbena.nfs41.server.internal.TestClient.Op;
import io.verbena.nfs41.server.internal.TestClient.Reply;
import io.verbena.nfs41.server.internal.ops.ExportSettings;
import io.verbena.nfs41.server.internal.testing.Swapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Instant;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * A second process swaps an exported directory for a link that leads to a tree of canaries, with the same names in it,
 * while a client changes all that it can. No canary changes its name, mode, owner, times or content.
 */
class SwapRaceTest extends ServerFixture {
    private static final int SWAPS = 2000;
    private static final int ROUNDS = 300;
    private static final String[] NAMES = {"plain", "other"};

    @Override
    ExportSettings settings() {
        return super.settings()
                .withDelegations(false)
                .withSync(false); // delegated files would be changed by no request
    }

    private static void populate(Path tree, String content) throws IOException {
        for (String name : NAMES) {
            Files.writeString(tree.resolve(name), content);
        }
        Files.createDirectories(tree.resolve("sub/below"));
        Files.writeString(tree.resolve("sub/file"), content);
        Files.createSymbolicLink(tree.resolve("link"), Path.of(content));
    }

    @Test
    void shouldNeverChangeACanary() throws Exception {
        Path canaries = temporary.resolve("outside");
        populate(canaries, "canary");
        Files.writeString(canaries.resolve("canary"), "canary");
        Path dir = Files.createDirectory(directory.resolve("dir"));
        populate(dir, "inside");
        Path link = Files.createSymbolicLink(temporary.resolve("link"), canaries);
        FileHandle dirHandle = client.handle("dir");
        FileHandle subHandle = client.handle("dir", "sub");
        FileHandle file = client.handle("dir", "plain");
        FileHandle inSub = client.handle("dir", "sub", "file");
        FileHandle linkHandle = client.handle("dir", "link");
        String before = stateOf(canaries);
        Process swapper = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        Path.of(Swapper.class
                                        .getProtectionDomain()
                                        .getCodeSource()
                                        .getLocation()
                                        .toURI())
                                .toString(),
                        Swapper.class.getName(),
                        dir.toString(),
                        link.toString(),
                        temporary.resolve("aside").toString(),
                        String.valueOf(SWAPS))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        int done = 0;
        int swaps = 0;
        try {
            for (int round = 0; round < ROUNDS; round++) {
                done += attack(dirHandle, round) + attack(subHandle, round);
                attributes(dirHandle, subHandle, file, inSub, linkHandle);
                link(file, dirHandle, round);
            }
            swapper.getOutputStream().write('\n');
            swapper.getOutputStream().flush();
            BufferedReader out =
                    new BufferedReader(new InputStreamReader(swapper.getInputStream(), StandardCharsets.US_ASCII));
            swaps = Integer.parseInt(out.readLine());
        } finally {
            swapper.destroy();
            swapper.waitFor();
        }
        assertThat(stateOf(canaries)).isEqualTo(before);
        assertThat(swaps).isGreaterThanOrEqualTo(SWAPS);
        assertThat(done).isGreaterThan(ROUNDS);
    }

    /** Creates, opens, renames, lists and removes. Returns how many of these the server has done. */
    private int attack(FileHandle dir, int round) throws Exception {
        String name = "made-" + round;
        int done = isDone(dir, out -> Create.encodeArgs(out, Create.directory("d" + name, Attributes.EMPTY)));
        done += isDone(dir, out -> Create.encodeArgs(out, Create.symbolicLink("l" + name, "text", Attributes.EMPTY)));
        done += isDone(dir, client.open(name, 3, 0, unchecked(0666)));
        done += isDone(dir, client.open("plain", 3, 0, unchecked(0)));
        Op rename = out -> Rename.encodeArgs(out, new Rename.Args(name, "renamed-" + round));
        done += client.inSession(fh(dir), SaveFh::encodeArgs, fh(dir), rename)
                        .status()
                        .isOk()
                ? 1
                : 0;
        done += list(dir);
        for (String gone : new String[] {"d" + name, "l" + name, name, "renamed-" + round}) {
            done += isDone(dir, out -> Remove.encodeArgs(out, new Remove.Args(gone)));
        }
        return done;
    }

    private int isDone(FileHandle dir, Op operation) throws Exception {
        return client.inSession(fh(dir), operation).status().isOk() ? 1 : 0;
    }

    private int list(FileHandle dir) throws Exception {
        Op readDir = out -> ReadDir.encodeArgs(
                out, new ReadDir.Args(0, 0, 4096, 16_384, AttributeMask.of(Attribute.TYPE, Attribute.SIZE)));
        Reply reply = client.inSession(fh(dir), readDir);
        if (!reply.status().isOk()) {
            return 0;
        }
        reply.ok(Opcode.PUTFH, Opcode.READDIR);
        ReadDir.decodeResult(reply.in).entries().forEach(entry -> assertThat(entry.name())
                .isNotEqualTo("canary"));
        return 1;
    }

    private void attributes(FileHandle... objects) throws Exception {
        for (FileHandle object : objects) {
            client.setAttributes(
                    object, Attributes.builder().put(Attribute.MODE, 06777).build());
            client.setAttributes(
                    object, Attributes.builder().put(Attribute.OWNER, "4711").build());
            client.setAttributes(
                    object, Attributes.builder().put(Attribute.SIZE, 3L).build());
            client.setAttributes(
                    object,
                    Attributes.builder()
                            .put(Attribute.TIME_MODIFY_SET, new SetTime(NfsTime.of(Instant.EPOCH)))
                            .build());
        }
    }

    private void link(FileHandle object, FileHandle dir, int round) throws Exception {
        String name = "hard-" + round;
        Op link = out -> Link.encodeArgs(out, new Link.Args(name));
        if (client.inSession(fh(object), SaveFh::encodeArgs, fh(dir), link)
                .status()
                .isOk()) {
            isDone(dir, out -> Remove.encodeArgs(out, new Remove.Args(name)));
        }
    }

    /** Names, modes, owners, links, times and contents of a directory and what is in it. */
    private static String stateOf(Path of) throws IOException {
        StringBuilder state = new StringBuilder();
        try (Stream<Path> all = Files.walk(of)) {
            for (Path each : all.sorted().toList()) {
                state.append(each)
                        .append(Files.readAttributes(
                                each, "unix:mode,uid,gid,nlink,lastModifiedTime,ctime", LinkOption.NOFOLLOW_LINKS));
                if (Files.isRegularFile(each, LinkOption.NOFOLLOW_LINKS)) {
                    state.append(Files.readString(each));
                }
                state.append('\n');
            }
        }
        return state.toString();
    }
}
