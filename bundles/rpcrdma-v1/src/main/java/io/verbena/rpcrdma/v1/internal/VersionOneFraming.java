package io.verbena.rpcrdma.v1.internal;

import static io.verbena.rpcrdma.FixedFields.CREDITS_OFFSET;
import static io.verbena.rpcrdma.FixedFields.PROCEDURE_OFFSET;
import static io.verbena.rpcrdma.FixedFields.VERSION_OFFSET;
import static io.verbena.rpcrdma.FixedFields.XID_OFFSET;

import io.verbena.rpcrdma.ChunkListCodec;
import io.verbena.rpcrdma.FixedFields;
import io.verbena.rpcrdma.Framing;
import io.verbena.rpcrdma.HeaderError;
import io.verbena.rpcrdma.HeaderException;
import io.verbena.rpcrdma.MessageType;
import io.verbena.rpcrdma.TransportHeader;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.osgi.service.component.annotations.Component;

/**
 * RPC-over-RDMA Version One (RFC 8166). The fields behind the four fixed fields depend on {@code rdma_proc}:
 *
 * <pre>
 * 0 RDMA_MSG    chunk lists, then the RPC message
 * 1 RDMA_NOMSG  chunk lists
 * 2 RDMA_MSGP   rdma_align, rdma_thresh, chunk lists, then the RPC message: decoded as it must be, never encoded
 * 3 RDMA_DONE   nothing: decoded so that it can be dropped, never encoded
 * 4 RDMA_ERROR  1 ERR_VERS, lowest and highest version | 2 ERR_CHUNK
 * </pre>
 *
 * The decoder refuses these messages; the receiver reacts to them as follows:
 *
 * <pre>
 * fewer octets than the fixed fields                 NONE        drops it
 * rdma_vers is not 1, ERR_VERS aside                 VERSION     a responder answers ERR_VERS
 * an rdma_proc that there is not                     BAD_HEADER  a responder answers ERR_CHUNK
 * chunk lists that are cut off or break their rules  BAD_HEADER  a responder answers ERR_CHUNK
 * RDMA_ERROR that is cut off or of an unknown error  NONE        drops it: no error is ever answered with an error
 * </pre>
 *
 * A requester ends the call with the XID of such a message (RFC 8166 section 4.5).
 *
 * <p><b>ERR_VERS is accepted with any {@code rdma_vers}.</b> Its sender does not speak our version, and may set
 * {@code rdma_vers} to the refused version or to a version that it supports. The value and layout of this error are the
 * same in every version (RFC 8166 section 7). If the version were checked first, the answer to an unsupported version
 * could never be read. The header does not keep {@code rdma_vers}; {@link FixedFields#version} reads it.
 */
@Component(property = Framing.VERSION + ":Integer=" + VersionOneNumbers.VERSION)
public final class VersionOneFraming implements Framing {
    private static final int ERROR_OFFSET = FixedFields.LENGTH;
    private static final int LOW_VERSION_OFFSET = ERROR_OFFSET + 4;
    private static final int HIGH_VERSION_OFFSET = ERROR_OFFSET + 8;
    private static final int ERR_CHUNK_LENGTH = ERROR_OFFSET + 4;
    private static final int ERR_VERS_LENGTH = ERROR_OFFSET + 12;

    private static final int ALIGNMENT_LENGTH = 8; // rdma_align and rdma_thresh of RDMA_MSGP

    @Override
    public int version() {
        return VersionOneNumbers.VERSION;
    }

    @Override
    public int defaultInlineThreshold() {
        return VersionOneNumbers.INLINE_THRESHOLD;
    }

    /** {@inheritDoc} Fields that messages of the header's type do not have are ignored. */
    @Override
    public int encodedLength(TransportHeader header) {
        if (procedure(header.type()) != VersionOneNumbers.RDMA_ERROR) {
            return FixedFields.LENGTH + ChunkListCodec.encodedLength(header);
        }
        return error(header) == VersionOneNumbers.ERR_VERS ? ERR_VERS_LENGTH : ERR_CHUNK_LENGTH;
    }

    /**
     * {@inheritDoc} Nothing is written where the header does not fit. This version has no field for the direction: the
     * RPC message tells it.
     */
    @Override
    public int encode(TransportHeader header, ByteBuffer out, int offset) {
        int procedure = procedure(header.type());
        int length = encodedLength(header);
        Objects.checkFromIndexSize(offset, length, out.limit());
        out.putInt(offset + XID_OFFSET, header.xid());
        out.putInt(offset + VERSION_OFFSET, VersionOneNumbers.VERSION);
        out.putInt(offset + CREDITS_OFFSET, header.credits());
        out.putInt(offset + PROCEDURE_OFFSET, procedure);
        if (procedure == VersionOneNumbers.RDMA_ERROR) {
            encodeError(header, out, offset);
        } else {
            ChunkListCodec.encode(header, out, offset + FixedFields.LENGTH);
        }
        return length;
    }

    @Override
    public int decode(ByteBuffer in, int offset, int length, TransportHeader header) throws HeaderException {
        Objects.checkFromIndexSize(offset, length, in.limit());
        header.clear();
        if (length < FixedFields.LENGTH) {
            throw new HeaderException(
                    HeaderError.NONE, length + " octets, fewer than the fixed fields", 0, "RFC 8166 4.2");
        }
        header.xid(FixedFields.xid(in, offset));
        header.credits(FixedFields.credits(in, offset));
        int procedure = FixedFields.procedure(in, offset);
        if (procedure == VersionOneNumbers.RDMA_ERROR) {
            return decodeError(in, offset, length, header);
        }
        int version = FixedFields.version(in, offset);
        if (version != VersionOneNumbers.VERSION) {
            throw wrongVersion(HeaderError.VERSION, version);
        }
        int lists = offset + FixedFields.LENGTH;
        int end = offset + length;
        switch (procedure) {
            case VersionOneNumbers.RDMA_MSG -> header.type(MessageType.MSG);
            case VersionOneNumbers.RDMA_NOMSG -> header.type(MessageType.NOMSG);
            case VersionOneNumbers.RDMA_MSGP -> {
                header.type(MessageType.MSGP);
                lists = skipAlignment(lists, length);
            }
            case VersionOneNumbers.RDMA_DONE -> {
                header.type(MessageType.DONE);
                return FixedFields.LENGTH;
            }
            default ->
                throw new HeaderException(
                        HeaderError.BAD_HEADER,
                        "rdma_proc " + Integer.toUnsignedString(procedure) + ", which there is not",
                        PROCEDURE_OFFSET,
                        "RFC 8166 4.2.4");
        }
        return ChunkListCodec.decode(in, offset, lists, end, header) - offset;
    }

    private static int procedure(MessageType type) {
        return switch (type) {
            case MSG -> VersionOneNumbers.RDMA_MSG;
            case NOMSG -> VersionOneNumbers.RDMA_NOMSG;
            case ERROR -> VersionOneNumbers.RDMA_ERROR;
            case MSGP, DONE, OPTIONAL ->
                throw new IllegalArgumentException("Version One never sends messages of type " + type);
        };
    }

    private static void encodeError(TransportHeader header, ByteBuffer out, int offset) {
        int error = error(header);
        out.putInt(offset + ERROR_OFFSET, error);
        if (error == VersionOneNumbers.ERR_VERS) {
            out.putInt(offset + LOW_VERSION_OFFSET, header.lowVersion());
            out.putInt(offset + HIGH_VERSION_OFFSET, header.highVersion());
        }
    }

    private static int error(TransportHeader header) {
        return switch (header.error()) {
            case VERSION -> VersionOneNumbers.ERR_VERS;
            case BAD_HEADER -> VersionOneNumbers.ERR_CHUNK;
            case NONE, INVALID_OPTION ->
                throw new IllegalArgumentException("Version One has no error " + header.error());
        };
    }

    private static int decodeError(ByteBuffer in, int offset, int length, TransportHeader header)
            throws HeaderException {
        header.type(MessageType.ERROR);
        requireError(ERR_CHUNK_LENGTH, length);
        int error = in.getInt(offset + ERROR_OFFSET);
        if (error == VersionOneNumbers.ERR_VERS) {
            requireError(ERR_VERS_LENGTH, length);
            header.error(HeaderError.VERSION)
                    .versions(in.getInt(offset + LOW_VERSION_OFFSET), in.getInt(offset + HIGH_VERSION_OFFSET));
            return ERR_VERS_LENGTH;
        }
        int version = FixedFields.version(in, offset);
        if (version != VersionOneNumbers.VERSION) {
            throw wrongVersion(HeaderError.NONE, version);
        }
        if (error != VersionOneNumbers.ERR_CHUNK) {
            throw new HeaderException(
                    HeaderError.NONE,
                    "rdma_err " + Integer.toUnsignedString(error) + ", which there is not",
                    ERROR_OFFSET,
                    "RFC 8166 4.5");
        }
        header.error(HeaderError.BAD_HEADER);
        return ERR_CHUNK_LENGTH;
    }

    private static void requireError(int wanted, int length) throws HeaderException {
        if (length < wanted) {
            throw new HeaderException(
                    HeaderError.NONE,
                    "RDMA_ERROR of " + length + " octets instead of " + wanted,
                    ERROR_OFFSET,
                    "RFC 8166 4.5");
        }
    }

    private static int skipAlignment(int at, int length) throws HeaderException {
        if (length < FixedFields.LENGTH + ALIGNMENT_LENGTH) {
            throw new HeaderException(
                    HeaderError.BAD_HEADER,
                    "RDMA_MSGP of " + length + " octets that ends in its alignment fields",
                    FixedFields.LENGTH,
                    "RFC 8166 4.6.1");
        }
        return at + ALIGNMENT_LENGTH;
    }

    private static HeaderException wrongVersion(HeaderError answer, int version) {
        return new HeaderException(
                answer,
                "rdma_vers " + Integer.toUnsignedString(version) + " instead of " + VersionOneNumbers.VERSION,
                VERSION_OFFSET,
                "RFC 8166 4.2.2");
    }
}
