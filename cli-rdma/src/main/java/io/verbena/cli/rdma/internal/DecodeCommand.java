package io.verbena.cli.rdma.internal;

import io.verbena.cli.CliCommand;
import io.verbena.cli.CommandFailure;
import io.verbena.cli.ExitStatus;
import io.verbena.cli.Failures;
import io.verbena.cli.Text;
import io.verbena.rpcrdma.HeaderException;
import io.verbena.verbs.trace.capture.CaptureException;
import io.verbena.verbs.trace.capture.CaptureSummary;
import io.verbena.verbs.trace.capture.IwarpCapture;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.karaf.shell.api.action.Argument;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Completion;
import org.apache.karaf.shell.api.action.Option;
import org.apache.karaf.shell.api.action.lifecycle.Reference;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.apache.karaf.shell.support.CommandException;
import org.apache.karaf.shell.support.completers.FileCompleter;

/** Prints the headers of RPC-over-RDMA messages as JSON. */
@Service
@Command(
        scope = "rpcrdma",
        name = "decode",
        description = "Prints headers of RPC-over-RDMA messages as JSON",
        detailedDescription =
                """
            One header of Version One or Two, given as hex digits or in a file (as octets or hex digits), or all those \
            in a capture. An object has the members xid, vers, credit, proc, direction, reads, writes, reply, error, \
            optional, rpc and payloadOffset, the first octet behind the header. Numbers are decimal; handles and \
            offsets are hexadecimal text; what is absent is [] or null.
            --pcap reads a pcap or pcapng file of iWARP, as of rdma:trace, dumpcap or tcpdump, and prints an object a \
            line for each message that was sent, with four members more that say where, and one for Sends with \
            Invalidate: frame (of the message's last octet), time, source, destination, invalidates.
            Ends with status 1 for a header that is malformed, and says at which offset and by which rule; in a \
            capture when all is read.

            Example: rpcrdma:decode 0000002a 00000001 00000020 00000000 00000000 00000000 00000000
                     rpcrdma:decode --pcap trace.pcapng""")
public final class DecodeCommand extends CliCommand {
    private static final int MAX_FILE = 1 << 26;

    @Option(name = "-f", description = "Reads the octets of one message from a file, or from the input where it is -")
    @Completion(FileCompleter.class)
    private String file;

    @Option(name = "--pcap", description = "Reads a capture, in the format pcap or pcapng")
    @Completion(FileCompleter.class)
    private String capture;

    @Argument(name = "HEX", description = "The octets of one message, as hex digits", multiValued = true)
    private List<String> hex;

    @Reference
    private RdmaServices services;

    @Override
    protected void run(PrintStream out) throws IOException, CommandException {
        int given = (hex == null ? 0 : 1) + (file == null ? 0 : 1) + (capture == null ? 0 : 1);
        if (given != 1) {
            throw new CommandFailure(
                    ExitStatus.USAGE,
                    "give the octets of one message as hex digits, or a file with -f, or --pcap FILE");
        }
        HeaderDecoder decoder = new HeaderDecoder(services.framings());
        if (capture != null) {
            decodeCapture(decoder, out);
            return;
        }
        ByteBuffer message = file == null ? HexText.parse(String.join(" ", hex)) : read();
        try {
            out.println(decoder.decode(message).build());
        } catch (HeaderException e) {
            throw new CommandFailure(ExitStatus.FAILED, "malformed header: " + e.getMessage(), e);
        }
    }

    private ByteBuffer read() throws IOException, CommandException {
        byte[] octets;
        try (InputStream in = file.equals("-") ? null : open(file)) {
            octets = (in == null ? System.in : in).readNBytes(MAX_FILE + 1);
        }
        if (octets.length > MAX_FILE) {
            throw new CommandException(Text.printable(file) + " is longer than any message: " + MAX_FILE
                    + " octets are read at most; a capture is read with --pcap");
        }
        return HexText.isText(octets)
                ? HexText.parse(new String(octets, StandardCharsets.US_ASCII))
                : ByteBuffer.wrap(octets);
    }

    private InputStream open(String file) throws IOException {
        Path path = invocation().path(file);
        return Failures.get(Text.printable(file), () -> Files.newInputStream(path));
    }

    private void decodeCapture(HeaderDecoder decoder, PrintStream out) throws IOException, CommandException {
        CaptureDecoder printer = new CaptureDecoder(decoder, out);
        String name = Text.printable(capture);
        CaptureSummary summary;
        try (InputStream in = open(capture)) {
            summary = IwarpCapture.read(in, printer);
        } catch (CaptureException e) {
            throw new CommandException(name + ": " + e.getMessage());
        }
        if (printer.problems() > 0) {
            throw new CommandException(name + ": " + printer.firstProblem()
                    + (printer.problems() == 1 ? "" : "; and " + (printer.problems() - 1) + " problems more"));
        }
        if (printer.messages() == 0) {
            throw new CommandException(
                    name + ": no message of an iWARP connection is in the capture's " + summary.packets() + " packets");
        }
    }
}
