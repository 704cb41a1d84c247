package io.verbena.itests;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.verbena.verbs.trace.capture.CaptureHandler;
import io.verbena.verbs.trace.capture.CaptureSummary;
import io.verbena.verbs.trace.capture.IwarpCapture;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;

/** The results of tshark's dissectors for a capture. They read MPA, DDP, RDMAP, RPC-over-RDMA, RPC and NFS. */
public final class WireReport {
    private static final String[] FIELDS = {
        "frame.number", "frame.protocols", "tcp.stream", "tcp.srcport", "_ws.malformed", "rpcordma.xid",
        "rpcordma.msg_type", "rpc.xid", "rpc.msgtyp", "nfs.opcode", "tcp.len", "iwarp_mpa.fpdu",
        "iwarp_rdma.opcode", "nfs.cb.operation", "nfs.open.delegation_type"
    };
    private static final Duration TSHARK = Duration.ofMinutes(3);
    private static final String RDMA_MSG = "0";
    private static final String RDMA_NOMSG = "1";
    private static final String RDMA_ERROR = "4";
    private static final String CALL = "0";
    private static final String REPLY = "1";
    private static final String READ = "25";
    private static final Set<Integer> SENDS_WITH_INVALIDATE = Set.of(4, 6);

    private final Path aligned;
    private final CaptureSummary rest;
    private final List<String> unread = new ArrayList<>();
    private final List<String> malformed = new ArrayList<>();
    private final List<String> errors = new ArrayList<>();
    private final List<String> sentTwice = new ArrayList<>();
    private final Set<String> calls = new TreeSet<>();
    private final Set<String> replies = new TreeSet<>();
    private final Set<String> operations = new TreeSet<>();
    private final List<String> callbacks = new ArrayList<>();
    private final Set<String> delegationTypes = new TreeSet<>();
    private final Set<String> sent = new HashSet<>();
    private long fpdus;
    private long invalidations;
    private long goodCrcs;
    private long badCrcs;

    private WireReport(Path aligned, CaptureSummary rest) {
        this.aligned = aligned;
        this.rest = rest;
    }

    /**
     * Reads a capture of iWARP connections on the loopback interface.
     *
     * @param captured the capture, which begins before the connections
     * @param aligned the file to write and to read with tshark; it helps to investigate problems
     */
    public static WireReport of(Path captured, Path aligned) throws IOException, InterruptedException {
        return read(new WireReport(aligned, FpduAlignedCapture.write(captured, aligned)));
    }

    /** Reads a capture with one frame in each segment, as rdma:trace writes it. */
    public static WireReport ofTrace(Path trace) throws IOException, InterruptedException {
        CaptureSummary summary = IwarpCapture.read(Files.newInputStream(trace), new CaptureHandler() {});
        return read(new WireReport(trace, summary));
    }

    /** Whether tshark is installed. */
    public static boolean isPossible() throws InterruptedException {
        try {
            Process version = new ProcessBuilder("tshark", "--version")
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            return version.waitFor() == 0;
        } catch (IOException e) {
            return false; // tshark is not installed
        }
    }

    private static WireReport read(WireReport report) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("-Y", "tcp.len > 0", "-T", "fields"));
        for (String field : FIELDS) {
            command.addAll(List.of("-e", field));
        }
        report.tshark(command, report::addFrame);
        report.tshark(List.of("-V", "-O", "iwarp_mpa"), report::addCrc);
        return report;
    }

    private void addFrame(String line) {
        String[] values = line.split("\t", -1);
        String protocols = values[1];
        boolean fpdu = !values[11].isEmpty();
        if (!protocols.contains(":iwarp_mpa") || (fpdu && !protocols.contains("iwarp_ddp_rdmap"))) {
            unread.add(line);
        }
        fpdus += fpdu ? 1 : 0;
        for (String opcode : listed(values[12])) {
            invalidations += SENDS_WITH_INVALIDATE.contains(Integer.decode(opcode)) ? 1 : 0;
        }
        List<String> numbers = listed(values[9]);
        operations.addAll(numbers);
        callbacks.addAll(listed(values[13]));
        delegationTypes.addAll(listed(values[14]));
        List<String> types = listed(values[8]);
        // the NFS dissector expects READ's data in the message although RPC-over-RDMA has placed it elsewhere
        if (!values[4].isEmpty() && !(numbers.contains(READ) && types.contains(REPLY))) {
            malformed.add(line);
        }
        // a call with Read chunks is shown at the frame of its last Read Response
        List<String> xids = listed(values[7]);
        for (int i = 0; i < Math.min(xids.size(), types.size()); i++) {
            (types.get(i).equals(CALL) ? calls : replies).add(values[2] + "/" + xids.get(i));
        }
        addMessages(line, values);
    }

    private void addMessages(String line, String[] values) {
        List<String> messageTypes = listed(values[6]);
        for (String type : messageTypes) {
            if (type.equals(RDMA_ERROR)) {
                errors.add(line);
            }
        }
        boolean message = messageTypes.contains(RDMA_MSG) || messageTypes.contains(RDMA_NOMSG);
        if (message && !sent.add(values[2] + " " + values[3] + " " + values[5])) {
            sentTwice.add(line);
        }
    }

    private static List<String> listed(String value) {
        return value.isEmpty() ? List.of() : Arrays.asList(value.split(",", -1));
    }

    private void addCrc(String line) {
        goodCrcs += line.contains("Good CRC32") ? 1 : 0;
        badCrcs += line.contains("Bad CRC32") ? 1 : 0;
    }

    private void tshark(List<String> arguments, Consumer<String> eachLine) throws IOException, InterruptedException {
        // protocols are recognized by content, not by ports: the system may pick a port of another protocol
        List<String> command =
                new ArrayList<>(List.of("tshark", "-o", "tcp.try_heuristic_first:TRUE", "-r", aligned.toString()));
        command.addAll(arguments);
        Path errors = aligned.resolveSibling(aligned.getFileName() + ".tshark");
        Process tshark =
                new ProcessBuilder(command).redirectError(errors.toFile()).start();
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(tshark.getInputStream(), UTF_8));
                TimeLimit limit = TimeLimit.on(tshark, TSHARK)) {
            lines.lines().forEach(eachLine);
            if (tshark.waitFor() != 0) {
                throw new IOException("tshark " + arguments
                        + (limit.isExceeded() ? " has not ended" : " exited with " + tshark.exitValue()) + ": "
                        + Files.readString(errors));
            }
        }
        Files.delete(errors);
    }

    /** The octets that the capture lacks although it has later ones of their connection. */
    public long missingOctets() {
        return rest.missing();
    }

    /** The octets at the ends of connections that do not form a whole frame: none, unless a connection was broken. */
    public long leftOctets() {
        return rest.left();
    }

    /** Frames that were not read as MPA, DDP and RDMAP, by their fields. */
    public List<String> unread() {
        return unread;
    }

    /** Malformed frames, by their fields. */
    public List<String> malformed() {
        return malformed;
    }

    /** Messages of the type RDMA_ERROR, by their frames' fields. */
    public List<String> errors() {
        return errors;
    }

    /** Messages whose XID had been sent on the same connection in the same direction, by their frames' fields. */
    public List<String> sentTwice() {
        return sentTwice;
    }

    /** RPC calls, as {@code connection/xid}. */
    public Set<String> calls() {
        return calls;
    }

    /** RPC replies, as {@code connection/xid}. */
    public Set<String> replies() {
        return replies;
    }

    /** The numbers of all NFS operations seen. */
    public Set<String> operations() {
        return operations;
    }

    /** The numbers of all operations of callbacks seen, in their order. */
    public List<String> callbacks() {
        return callbacks;
    }

    /** The types of delegation that OPEN was answered with, 0 where there was none. */
    public Set<String> delegationTypes() {
        return delegationTypes;
    }

    public long fpdus() {
        return fpdus;
    }

    /** FPDUs of Sends with Invalidate. */
    public long invalidations() {
        return invalidations;
    }

    public long goodCrcs() {
        return goodCrcs;
    }

    public long badCrcs() {
        return badCrcs;
    }
}
