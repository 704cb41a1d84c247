package io.verbena.nfs41.client.internal.mount;

import io.verbena.nfs.FileAttributes;
import io.verbena.nfs.MountExplanation;
import io.verbena.nfs.MountOption;
import io.verbena.nfs41.FileHandle;
import io.verbena.nfs41.GetFh;
import io.verbena.nfs41.Read;
import io.verbena.nfs41.Sequence;
import io.verbena.nfs41.StableHow;
import io.verbena.nfs41.StateId;
import io.verbena.nfs41.Write;
import io.verbena.nfs41.client.internal.compound.CompoundRequest;
import io.verbena.nfs41.client.internal.compound.CompoundWriter;
import io.verbena.nfs41.client.internal.compound.Results;
import io.verbena.nfs41.client.internal.file.ReadOperation;
import io.verbena.nfs41.client.internal.file.ReadRequest;
import io.verbena.nfs41.client.internal.link.LinkConnection;
import io.verbena.nfs41.client.internal.names.DirectoryPages;
import io.verbena.nfs41.client.internal.names.FileAttributesCodec;
import io.verbena.nfs41.client.internal.names.PathOperation;
import io.verbena.nfs41.client.internal.names.PathWalk;
import io.verbena.nfs41.client.internal.session.ExportRoot;
import io.verbena.nfs41.client.internal.session.Session;
import io.verbena.nfs41.client.internal.write.WriteRequest;
import io.verbena.rpc.CallShape;
import io.verbena.rpc.RpcCall;
import io.verbena.rpc.TransferSizes;
import io.verbena.xdr.XdrWriter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * Explains how requests for one object are transferred, and what limits them. Encodes the requests as they would be
 * sent; the transport tells how it would transfer them.
 */
final class TransferExplanation {
    private final MountAssembly assembly;
    private final Subject subject;
    private final Session session;
    private final LinkConnection line;
    private final List<MountExplanation> findings = new ArrayList<>();

    /**
     * @param handle of the object
     * @param attributes its
     */
    record Subject(FileHandle handle, FileAttributes attributes) {}

    TransferExplanation(MountAssembly assembly, Subject subject) {
        this.assembly = assembly;
        this.subject = subject;
        this.session = assembly.sessions().present();
        this.line = assembly.link().current();
    }

    /** Looks the object up. */
    static CompletableFuture<Subject> find(MountAssembly assembly, String path) {
        return assembly.namespace().walk(path, PathWalk.Last.FOLLOWED, new PathOperation<>() {
            @Override
            public void encode(CompoundWriter operations, String name) {
                GetFh.encodeArgs(operations.next());
                operations.getAttr(FileAttributesCodec.WANTED);
            }

            @Override
            public Subject decode(Results results) throws IOException {
                FileHandle handle = results.getFh();
                return new Subject(handle, FileAttributesCodec.decode(results.getAttr()));
            }
        });
    }

    List<MountExplanation> findings() {
        Map<String, String> settings = line == null ? assembly.link().provider() : line.settings();
        add("provider", settings.getOrDefault("provider", "none yet"), settings.getOrDefault("providerChoice", ""));
        if (line == null || session == null) {
            add("connection", "none at the moment", "calls wait until it is made again");
            return findings;
        }
        add("version", settings.getOrDefault("version", "none yet"), settings.getOrDefault("versionChoice", ""));
        explainSizes();
        if (subject.attributes().isRegularFile()) {
            explainRead();
            explainWrite();
            explainLimit(credits(settings));
        } else if (subject.attributes().isDirectory()) {
            explainList();
        }
        explainAttributes();
        return findings;
    }

    private void add(String about, String answer, String reason) {
        findings.add(new MountExplanation(about, answer, reason));
    }

    private void explainSizes() {
        ExportRoot root = assembly.root();
        add(
                "sizes",
                "reads of up to " + octets(root.rsize()) + ", writes of up to " + octets(root.wsize()),
                "rsize=" + assembly.settings().options().get(MountOption.RSIZE) + " and wsize="
                        + assembly.settings().options().get(MountOption.WSIZE)
                        + ", clipped to what the server and the session's messages of "
                        + octets(Integer.toUnsignedLong(session.limits().maxResponseSize())) + " and "
                        + octets(Integer.toUnsignedLong(session.limits().maxRequestSize())) + " take");
    }

    private void explainRead() {
        int count = (int) Math.max(
                1, Math.min(assembly.root().rsize(), subject.attributes().size()));
        RpcCall call = write(operations -> {
            operations.putFh(subject.handle());
            Read.encodeArgs(operations.next(), new Read.Args(StateId.ANONYMOUS, 0, count));
        });
        plan(new CallShape(call.message().position(), 0, ReadRequest.MAX_REPLY, count))
                .ifPresent(plan ->
                        add("read", replyWay(plan, "Write chunk"), "READ of " + octets(count) + ": " + reply(plan)));
    }

    private void explainWrite() {
        int count = assembly.root().wsize();
        RpcCall call = write(operations -> {
            operations.putFh(subject.handle());
            Write.encodeArgs(
                    operations.next(),
                    new Write.Args(StateId.ANONYMOUS, 0, StableHow.UNSTABLE4, ByteBuffer.allocate(0)));
        });
        plan(new CallShape(call.message().position(), count, WriteRequest.MAX_REPLY, 0))
                .ifPresent(plan -> add("write", callWay(plan), "WRITE of " + octets(count) + ": " + call(plan)));
    }

    private void explainList() {
        RpcCall call = write(new DirectoryPages.Page(subject.handle(), 0, 0)::encode);
        plan(new CallShape(call.message().position(), 0, DirectoryPages.MAX_REPLY, 0))
                .ifPresent(plan -> add("list", replyWay(plan, "Reply chunk"), "READDIR: " + reply(plan)));
    }

    private void explainAttributes() {
        RpcCall call = write(operations -> {
            operations.putFh(subject.handle());
            operations.getAttr(FileAttributesCodec.WANTED);
        });
        plan(new CallShape(call.message().position(), 0, CompoundRequest.SMALL_REPLY, 0))
                .ifPresent(plan -> add("attributes", replyWay(plan, "Reply chunk"), "GETATTR: " + reply(plan)));
    }

    /** What limits the READs under way while the whole file is read into one buffer. */
    private void explainLimit(int credits) {
        int rsize = assembly.root().rsize();
        long reads = Math.max(1, (subject.attributes().size() + rsize - 1) / rsize);
        int slots = session.slots().limit();
        int window = ReadOperation.WINDOW;
        long least = Math.min(Math.min(slots, credits), Math.min(window, reads));
        String what = least == reads
                ? "the file's size"
                : least == credits ? "credits" : least == slots ? "slots" : "the window of one read";
        add(
                "limit",
                what + ": " + least + (least == 1 ? " READ" : " READs") + " at once",
                String.format(
                        Locale.ROOT,
                        "the file takes %d of %s; there are %d slots and %d credits, and one read has up to %d under"
                                + " way",
                        reads,
                        octets(rsize),
                        slots,
                        credits,
                        window));
    }

    private static int credits(Map<String, String> settings) {
        return Integer.parseInt(settings.getOrDefault("credits", "1"));
    }

    private Optional<TransferSizes> plan(CallShape shape) {
        return line.explain(shape);
    }

    /** Writes a request as it would be sent. */
    private RpcCall write(Consumer<CompoundWriter> body) {
        RpcCall call = assembly.caller().newCall(new XdrWriter());
        CompoundWriter operations = new CompoundWriter().begin(call.arguments());
        Sequence.encodeArgs(operations.next(), new Sequence.Args(session.id(), 1, 0, 0, false));
        body.accept(operations);
        operations.end();
        return call;
    }

    private static String replyWay(TransferSizes plan, String chunk) {
        int segments = plan.writeSegments() + plan.replySegments();
        return switch (plan.reply()) {
            case INLINE -> "inline";
            case CHUNK -> chunk + segments(segments);
            case LONG ->
                plan.writeSegments() > 0
                        ? "Write chunk and Reply chunk" + segments(segments)
                        : "Reply chunk" + segments(segments);
            case NONE -> "not at all";
        };
    }

    private static String callWay(TransferSizes plan) {
        return switch (plan.call()) {
            case INLINE -> "inline";
            case CHUNK -> "Read chunk" + segments(plan.readSegments());
            case LONG -> "long call by Read chunks" + segments(plan.readSegments());
            case NONE -> "not at all";
        };
    }

    private static String segments(int count) {
        return count == 1 ? "" : " of " + count + " segments";
    }

    private static String reply(TransferSizes plan) {
        return compared("reply", plan.replyOctets(), "the server's", plan.replyThreshold());
    }

    private static String call(TransferSizes plan) {
        return compared("call", plan.callOctets(), "ours", plan.callThreshold());
    }

    private static String compared(String what, long size, String whose, int threshold) {
        return "the " + what + " may have " + octets(size) + " with all in place, and a Send of " + whose
                + " has room for " + octets(threshold);
    }

    private static String octets(long count) {
        return String.format(Locale.ROOT, "%,d octets", count);
    }
}
