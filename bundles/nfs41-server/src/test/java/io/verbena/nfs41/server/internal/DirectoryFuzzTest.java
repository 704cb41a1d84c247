package io.verbena.nfs41.server.internal;

import static io.verbena.nfs41.server.internal.TestClient.attributes;
import static io.verbena.nfs41.server.internal.TestClient.fh;
import static io.verbena.nfs41.server.internal.TestClient.getFh;
import static io.verbena.nfs41.server.internal.TestClient.look;
import static io.verbena.nfs41.server.internal.TestClient.root;
import static io.verbena.nfs41.server.internal.TestClient.unchecked;

import io.verbena.fuzzing.CanaryTree;
import io.verbena.fuzzing.SystemFuzzer;
import io.verbena.nfs41.Attribute;
import io.verbena.nfs41.Attributes;
import io.verbena.nfs41.Compound;
import io.verbena.nfs41.Create;
import io.verbena.nfs41.FileHandle;
import io.verbena.nfs41.Link;
import io.verbena.nfs41.LookupP;
import io.verbena.nfs41.NfsTime;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.Read;
import io.verbena.nfs41.ReadLink;
import io.verbena.nfs41.Remove;
import io.verbena.nfs41.Rename;
import io.verbena.nfs41.SaveFh;
import io.verbena.nfs41.SetAttr;
import io.verbena.nfs41.SetTime;
import io.verbena.nfs41.StableHow;
import io.verbena.nfs41.StateId;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.Write;
import io.verbena.nfs41.server.internal.TestClient.Op;
import io.verbena.xdr.XdrException;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Whole COMPOUNDs, damaged, against a server with a real directory beneath it, into which links to a tree outside lead.
 * Nothing outside ever changes, each request is answered, and nothing but a refusal to decode is thrown.
 */
class DirectoryFuzzTest extends ServerFixture {
    private static final int INPUTS = 2_000;
    private static final int DIVISOR = 100;
    private static final int INTERVAL = 250;
    private static final int SLOT = 1;
    private static final int SEQUENCE_AT = 16;
    private static final int SEQUENCE_LENGTH = 36;
    private static final int SESSION_AT = SEQUENCE_AT + 4;
    private static final int SESSION_LENGTH = 16;
    private static final List<String> NAMES = List.of(
            "file",
            "directory",
            "out",
            "outfile",
            "absolute",
            "up",
            "new",
            ".",
            "..",
            "../outside",
            "a/b",
            "",
            "inner",
            "/etc",
            "link");

    /** The fuzzer's side of the server. */
    private final class Target implements SystemFuzzer.Target {
        private final CanaryTree outside = CanaryTree.make(temporary.resolve("outside"));
        private List<FileHandle> handles = List.of();
        private final Set<ByteBuffer> sessions = new HashSet<>();
        private int sequence;
        private int renewals;

        Target() throws IOException {}

        /** Makes the export anew, with a session and handles of what is in it. */
        private void renew() throws Exception {
            empty(directory);
            Files.createDirectory(directory.resolve("directory"));
            Files.writeString(directory.resolve("directory/inner"), "inner");
            Files.writeString(directory.resolve("file"), "content");
            Files.createSymbolicLink(directory.resolve("out"), Path.of("../outside"));
            Files.createSymbolicLink(directory.resolve("outfile"), Path.of("../outside/file"));
            Files.createSymbolicLink(
                    directory.resolve("absolute"), outside.top().resolve("directory"));
            Files.createSymbolicLink(directory.resolve("up"), Path.of(".."));
            renewals++;
            client = TestClient.connected(server, "fuzzer " + renewals);
            sessions.add(ByteBuffer.wrap(sequence(1), SESSION_AT - SEQUENCE_AT, SESSION_LENGTH)
                    .slice());
            handles = List.of(
                    client.handle(),
                    client.handle("file"),
                    client.handle("directory"),
                    client.handle("directory", "inner"),
                    client.handle("out"),
                    client.handle("outfile"),
                    client.handle("absolute"),
                    client.handle("up"));
            sequence = 1;
        }

        @Override
        public byte[] sample(RandomGenerator random) throws Exception {
            if (handles.isEmpty()) {
                renew();
            }
            List<Op> operations = new ArrayList<>();
            operations.add(client.sequence(sequence, SLOT, false));
            int count = 1 + random.nextInt(3);
            for (int i = 0; i < count; i++) {
                if (random.nextInt(4) != 0) {
                    operations.add(place(random));
                }
                operations.add(operation(random));
            }
            XdrWriter out = new XdrWriter();
            Compound.encodeArgs(out, new Compound.Args("fuzz", 1, operations.size()));
            operations.forEach(operation -> operation.write(out));
            return out.toByteArray();
        }

        private Op place(RandomGenerator random) {
            return switch (random.nextInt(12)) {
                case 0, 1, 2, 3 -> root();
                case 4 -> SaveFh::encodeArgs;
                case 5 -> LookupP::encodeArgs;
                case 6 -> look(name(random));
                default -> fh(handles.get(random.nextInt(handles.size())));
            };
        }

        private Op operation(RandomGenerator random) {
            String name = name(random);
            Attributes some = Attributes.builder()
                    .put(Attribute.MODE, random.nextInt(010000))
                    .build();
            return switch (random.nextInt(13)) {
                case 0 -> getFh();
                case 1 -> attributes(Attribute.TYPE, Attribute.SIZE, Attribute.FILEID);
                case 2 -> client.open(name, 3, 0, unchecked(0644));
                case 3 -> out -> Create.encodeArgs(out, Create.directory(name, some));
                case 4 -> out -> Create.encodeArgs(out, Create.symbolicLink(name, "../outside", some));
                case 5 -> out -> Remove.encodeArgs(out, new Remove.Args(name));
                case 6 -> out -> Rename.encodeArgs(out, new Rename.Args(name, name(random)));
                case 7 -> out -> Link.encodeArgs(out, new Link.Args(name));
                case 8 -> out -> SetAttr.encodeArgs(out, new SetAttr.Args(StateId.ANONYMOUS, some));
                case 9 ->
                    out -> SetAttr.encodeArgs(
                            out,
                            new SetAttr.Args(
                                    StateId.ANONYMOUS,
                                    Attributes.builder()
                                            .put(Attribute.SIZE, (long) random.nextInt(100))
                                            .put(
                                                    Attribute.TIME_MODIFY_SET,
                                                    new SetTime(new NfsTime(random.nextInt(), 0)))
                                            .build()));
                case 10 ->
                    out -> Write.encodeArgs(
                            out,
                            new Write.Args(
                                    StateId.ANONYMOUS,
                                    random.nextInt(100),
                                    StableHow.UNSTABLE4,
                                    ByteBuffer.wrap(new byte[random.nextInt(64)])));
                case 11 -> out -> Read.encodeArgs(out, new Read.Args(StateId.ANONYMOUS, 0, 100));
                default -> ReadLink::encodeArgs;
            };
        }

        private String name(RandomGenerator random) {
            return NAMES.get(random.nextInt(NAMES.size()));
        }

        /** Tag, minor version, count, and the whole SEQUENCE. */
        @Override
        public int head() {
            return SEQUENCE_AT + SEQUENCE_LENGTH;
        }

        @Override
        public String send(byte[] message) throws Exception {
            XdrWriter out = new XdrWriter().putFixedOpaque(withSequence(message));
            FakeRequest request = FakeRequest.compound(TestClient.ROOT, out);
            try {
                server.handle(request);
            } catch (XdrException e) {
                return "refused";
            }
            XdrReader answer = request.answer().get(60, TimeUnit.SECONDS);
            if (!request.outcome().equals("SUCCESS")) {
                return request.outcome();
            }
            Compound.Result result = Compound.decodeResult(answer);
            if (result.operations() > 0 && answer.remaining() >= 8) {
                boolean isInSession = answer.getInt() == Opcode.SEQUENCE && answer.getInt() == 0;
                // a request that was refused in its middle has used its number
                sequence += isInSession || result.status() == Status.NFS4ERR_SEQ_FALSE_RETRY ? 1 : 0;
                if (!isInSession && result.status() != Status.NFS4ERR_SEQ_MISORDERED) {
                    return "no session";
                }
                if (!isInSession) {
                    renew();
                }
            }
            return result.status() == Status.NFS4_OK ? "done" : "failed";
        }

        /** A sample may be older than the session, and than the last request of the slot. */
        private byte[] withSequence(byte[] message) {
            byte[] with = message.clone();
            if (with.length >= head() && sessions.contains(ByteBuffer.wrap(with, SESSION_AT, SESSION_LENGTH))) {
                byte[] now = sequence(sequence);
                System.arraycopy(now, 0, with, SEQUENCE_AT, now.length);
            }
            return with;
        }

        /** A whole SEQUENCE. */
        private byte[] sequence(int number) {
            XdrWriter out = new XdrWriter();
            client.sequence(number, SLOT, false).write(out);
            return out.toByteArray();
        }

        @Override
        public void check() throws Exception {
            outside.check();
            try (Stream<Path> beside = Files.list(temporary)) {
                List<String> names = beside.map(each -> each.getFileName().toString())
                        .sorted()
                        .toList();
                if (!names.equals(List.of("export", "outside", "state"))) {
                    throw new AssertionError("beside the export there is now " + names);
                }
            }
            renew();
        }
    }

    private static void empty(Path top) throws IOException {
        List<Path> all;
        try (Stream<Path> files = Files.walk(top)) {
            all = files.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path each : all) {
            if (Files.isDirectory(each, LinkOption.NOFOLLOW_LINKS)) {
                Files.setAttribute(each, "unix:mode", 0755);
            }
            if (!each.equals(top)) {
                Files.delete(each);
            }
        }
    }

    @Test
    void shouldChangeNothingOutsideWhateverCompoundComes() throws Exception {
        SystemFuzzer.run("compounds over a directory", new Target(), INPUTS, DIVISOR, INTERVAL);
    }
}
