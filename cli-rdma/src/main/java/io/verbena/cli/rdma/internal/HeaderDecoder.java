package io.verbena.cli.rdma.internal;

import io.verbena.rpcrdma.FixedFields;
import io.verbena.rpcrdma.Framing;
import io.verbena.rpcrdma.HeaderError;
import io.verbena.rpcrdma.HeaderException;
import io.verbena.rpcrdma.TransportHeader;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.json.JsonObjectBuilder;
import org.apache.karaf.shell.support.CommandException;

/** Decodes headers with the framing of their version. */
final class HeaderDecoder {
    /** The value of {@code rdma_proc} for an error, which is the same in every version. */
    private static final int ERROR = 4;
    /** The error code for an unsupported version, which is the same in every version. */
    private static final int ERR_VERS = 1;

    private final Map<Integer, Framing> framings = new TreeMap<>();
    private final TransportHeader header = new TransportHeader();
    private final HeaderJson json = new HeaderJson();

    /**
     * Creates a decoder.
     *
     * @throws CommandException if there is no framing
     */
    HeaderDecoder(List<Framing> all) throws CommandException {
        all.forEach(framing -> framings.putIfAbsent(framing.version(), framing));
        if (framings.isEmpty()) {
            throw new CommandException("no framing is started: start io.verbena.rpcrdma.v1 or io.verbena.rpcrdma.v2");
        }
    }

    /**
     * Decodes the header at the beginning of a message. The octets of the message are those from position 0 to the
     * limit of the buffer.
     *
     * @throws HeaderException if the octets are not a header
     */
    JsonObjectBuilder decode(ByteBuffer message) throws HeaderException {
        Framing framing = framingOf(message);
        int length = framing.decode(message, 0, message.limit(), header);
        return json.of(header, message, length);
    }

    private Framing framingOf(ByteBuffer message) throws HeaderException {
        Framing any = framings.values().iterator().next();
        if (message.limit() < FixedFields.LENGTH) {
            return any; // its exception reports the unknown version
        }
        int version = FixedFields.version(message, 0);
        Framing framing = framings.get(version);
        if (framing != null) {
            return framing;
        }
        boolean tellsOfVersions = FixedFields.procedure(message, 0) == ERROR
                && message.limit() >= FixedFields.LENGTH + Integer.BYTES
                && message.getInt(FixedFields.LENGTH) == ERR_VERS;
        if (tellsOfVersions) {
            return any;
        }
        throw new HeaderException(
                HeaderError.VERSION,
                "rdma_vers " + Integer.toUnsignedString(version) + ", of which there is no framing; there is one of "
                        + framings.keySet(),
                FixedFields.VERSION_OFFSET,
                "RFC 8166 4.2.2");
    }
}
