package io.verbena.rpcrdma.v1.internal;

import static io.verbena.rpcrdma.FixedFields.CREDITS_OFFSET;
import static io.verbena.rpcrdma.FixedFields.PROCEDURE_OFFSET;
import static io.verbena.rpcrdma.FixedFields.VERSION_OFFSET;
import static io.verbena.rpcrdma.FixedFields.XID_OFFSET;

import io.verbena.rpcrdma.ChunkLists;
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
 * RPC-over-RDMA Version One (RFC 8166). What stands behind the four fixed fields depends on {@code rdma_proc}:
 *
 * <pre>
 * 0 RDMA_MSG    chunk lists, then the RPC message
 * 1 RDMA_NOMSG  chunk lists
 * 2 RDMA_MSGP   rdma_align, rdma_thresh, chunk lists, then the RPC message: decoded as it must be, never encoded
 * 3 RDMA_DONE   nothing: decoded so that it can be dropped, never encoded
 * 4 RDMA_ERROR  1 ERR_VERS, lowest and highest version | 2 ERR_CHUNK
 * </pre>
 *
 * What decoding refuses, and what a receiver does then:
 *
 * <pre>
 * fewer octets than the fixed fields                 NONE        drops it
 * rdma_vers is not 1, ERR_VERS aside                 VERSION     a responder answers ERR_VERS
 * an rdma_proc that there is not                     BAD_HEADER  a responder answers ERR_CHUNK
 * chunk lists that are cut off or break their rules  BAD_HEADER  a responder answers ERR_CHUNK
 * RDMA_ERROR that is cut off or of an unknown error  NONE        drops it: no error is ever answered with an error
 * </pre>
 *
 * A requester ends the call whose XID such a message has (RFC 8166 section 4.5).
 *
 * <p><b>ERR_VERS is accepted whatever {@code rdma_vers} is.</b> It comes from a peer that does not speak our version,
 * so its own number need not be ours: a peer may echo the number that it refuses, or send one of those that it supports,
 * and the value and layout of this one error are the same in every version (RFC 8166 section 7). Were the version checked
 * first, the answer to a version that is not supported could never be read. The header does not keep
 * {@code rdma_vers}; who wants it asks {@link FixedFields#version}.
 */
@Component(property = Framing.VERSION + ":Integer=" + Rdma1.VERSION)
public final class VersionOneFraming implements Framing {
    private static final int ERROR_OFFSET = FixedFields.LENGTH;
    private static final int LOW_VERSION_OFFSET = ERROR_OFFSET + 4;
    private static final int HIGH_VERSION_OFFSET = ERROR_OFFSET + 8;
    private static final int ERR_CHUNK_LENGTH = ERROR_OFFSET + 4;
    private static final int ERR_VERS_LENGTH = ERROR_OFFSET + 12;

    private static final int ALIGNMENT_LENGTH = 8; // rdma_align and rdma_thresh of RDMA_MSGP

    @Override
    public int version() {
        return Rdma1.VERSION;
    }

    @Override
    public int defaultInlineThreshold() {
        return Rdma1.INLINE_THRESHOLD;
    }

    /** {@inheritDoc} Fields that a message of the header's type does not have are not looked at. */
    @Override
    public int encodedLength(TransportHeader header) {
        if (procedure(header.type()) != Rdma1.RDMA_ERROR) {
            return FixedFields.LENGTH + ChunkLists.encodedLength(header);
        }
        return error(header) == Rdma1.ERR_VERS ? ERR_VERS_LENGTH : ERR_CHUNK_LENGTH;
    }

    /**
     * {@inheritDoc} Nothing is written where the header does not fit. The direction has no field in this version: the
     * RPC message tells it.
     */
    @Override
    public int encode(TransportHeader header, ByteBuffer out, int offset) {
        int procedure = procedure(header.type());
        int length = encodedLength(header);
        Objects.checkFromIndexSize(offset, length, out.limit());
        out.putInt(offset + XID_OFFSET, header.xid());
        out.putInt(offset + VERSION_OFFSET, Rdma1.VERSION);
        out.putInt(offset + CREDITS_OFFSET, header.credits());
        out.putInt(offset + PROCEDURE_OFFSET, procedure);
        if (procedure == Rdma1.RDMA_ERROR) {
            encodeError(header, out, offset);
        } else {
            ChunkLists.encode(header, out, offset + FixedFields.LENGTH);
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
        if (procedure == Rdma1.RDMA_ERROR) {
            return decodeError(in, offset, length, header);
        }
        int version = FixedFields.version(in, offset);
        if (version != Rdma1.VERSION) {
            throw wrongVersion(HeaderError.VERSION, version);
        }
        int lists = offset + FixedFields.LENGTH;
        int end = offset + length;
        switch (procedure) {
            case Rdma1.RDMA_MSG -> header.type(MessageType.MSG);
            case Rdma1.RDMA_NOMSG -> header.type(MessageType.NOMSG);
            case Rdma1.RDMA_MSGP -> {
                header.type(MessageType.MSGP);
                lists = skipAlignment(lists, length);
            }
            case Rdma1.RDMA_DONE -> {
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
        return ChunkLists.decode(in, offset, lists, end, header) - offset;
    }

    private static int procedure(MessageType type) {
        return switch (type) {
            case MSG -> Rdma1.RDMA_MSG;
            case NOMSG -> Rdma1.RDMA_NOMSG;
            case ERROR -> Rdma1.RDMA_ERROR;
            case MSGP, DONE, OPTIONAL ->
                throw new IllegalArgumentException("Version One never sends messages of type " + type);
        };
    }

    private static void encodeError(TransportHeader header, ByteBuffer out, int offset) {
        int error = error(header);
        out.putInt(offset + ERROR_OFFSET, error);
        if (error == Rdma1.ERR_VERS) {
            out.putInt(offset + LOW_VERSION_OFFSET, header.lowVersion());
            out.putInt(offset + HIGH_VERSION_OFFSET, header.highVersion());
        }
    }

    private static int error(TransportHeader header) {
        return switch (header.error()) {
            case VERSION -> Rdma1.ERR_VERS;
            case BAD_HEADER -> Rdma1.ERR_CHUNK;
            case NONE, INVALID_OPTION ->
                throw new IllegalArgumentException("Version One has no error " + header.error());
        };
    }

    private static int decodeError(ByteBuffer in, int offset, int length, TransportHeader header)
            throws HeaderException {
        header.type(MessageType.ERROR);
        requireError(ERR_CHUNK_LENGTH, length);
        int error = in.getInt(offset + ERROR_OFFSET);
        if (error == Rdma1.ERR_VERS) {
            requireError(ERR_VERS_LENGTH, length);
            header.error(HeaderError.VERSION)
                    .versions(in.getInt(offset + LOW_VERSION_OFFSET), in.getInt(offset + HIGH_VERSION_OFFSET));
            return ERR_VERS_LENGTH;
        }
        int version = FixedFields.version(in, offset);
        if (version != Rdma1.VERSION) {
            throw wrongVersion(HeaderError.NONE, version);
        }
        if (error != Rdma1.ERR_CHUNK) {
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
                "rdma_vers " + Integer.toUnsignedString(version) + " instead of " + Rdma1.VERSION,
                VERSION_OFFSET,
                "RFC 8166 4.2.2");
    }
}
