package io.verbena.rpcrdma.v2.internal;

import static io.verbena.rpcrdma.FixedFields.CREDITS_OFFSET;
import static io.verbena.rpcrdma.FixedFields.PROCEDURE_OFFSET;
import static io.verbena.rpcrdma.FixedFields.VERSION_OFFSET;
import static io.verbena.rpcrdma.FixedFields.XID_OFFSET;

import io.verbena.rpcrdma.ChunkListCodec;
import io.verbena.rpcrdma.Direction;
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
 * RPC-over-RDMA Version Two in the layout of draft-cel-nfsv4-rpcrdma-version-two-01. Sections named here are those of
 * that draft; later drafts have the same version number and another layout. The fields behind the four fixed fields
 * depend on {@code rdma_proc}:
 *
 * <pre>
 * 0 RDMA2_MSG       rdma_direction, chunk lists, then the RPC message
 * 1 RDMA2_NOMSG     rdma_direction, chunk lists
 * 4 RDMA2_ERROR     1 ERR_VERS, lowest and highest version | 2 ERR_BAD_HEADER | 3 ERR_INVAL_OPTION
 * 5 RDMA2_OPTIONAL  rdma_optdir, rdma_opttype, rdma_optinfo, then perhaps an RPC message
 * </pre>
 *
 * An error has no direction in the XDR, although section 3.2 mentions one: its XID tells the direction.
 *
 * <p>The decoder refuses the same messages as that of Version One, with the same answers. ERR_VERS is accepted with any
 * {@code rdma_vers} for the same reason: its sender does not speak this version.
 */
@Component(property = Framing.VERSION + ":Integer=" + VersionTwoNumbers.VERSION)
public final class VersionTwoFraming implements Framing {
    private static final String XDR = "draft-cel-nfsv4-rpcrdma-version-two-01 4.2";
    private static final int WORD = 4;
    private static final int BODY_OFFSET = FixedFields.LENGTH;

    // RDMA2_MSG and RDMA2_NOMSG
    private static final int LISTS_OFFSET = BODY_OFFSET + WORD;

    // RDMA2_ERROR
    private static final int LOW_VERSION_OFFSET = BODY_OFFSET + WORD;
    private static final int HIGH_VERSION_OFFSET = BODY_OFFSET + 2 * WORD;
    private static final int ERROR_LENGTH = BODY_OFFSET + WORD;
    private static final int ERR_VERS_LENGTH = BODY_OFFSET + 3 * WORD;

    // RDMA2_OPTIONAL
    private static final int OPTIONAL_TYPE_OFFSET = BODY_OFFSET + WORD;
    private static final int OPTIONAL_LENGTH_OFFSET = BODY_OFFSET + 2 * WORD;
    static final int OPTIONAL_INFO_OFFSET = BODY_OFFSET + 3 * WORD;

    @Override
    public int version() {
        return VersionTwoNumbers.VERSION;
    }

    @Override
    public int defaultInlineThreshold() {
        return VersionTwoNumbers.INLINE_THRESHOLD;
    }

    /** {@inheritDoc} Fields that messages of the header's type do not have are ignored. */
    @Override
    public int encodedLength(TransportHeader header) {
        return switch (procedure(header.type())) {
            case VersionTwoNumbers.RDMA2_ERROR ->
                error(header) == VersionTwoNumbers.RDMA2_ERR_VERS ? ERR_VERS_LENGTH : ERROR_LENGTH;
            case VersionTwoNumbers.RDMA2_OPTIONAL ->
                OPTIONAL_INFO_OFFSET + padded(header.optionalInfo().remaining());
            default -> LISTS_OFFSET + ChunkListCodec.encodedLength(header);
        };
    }

    /** {@inheritDoc} Nothing is written where the header does not fit. */
    @Override
    public int encode(TransportHeader header, ByteBuffer out, int offset) {
        int procedure = procedure(header.type());
        int length = encodedLength(header);
        Objects.checkFromIndexSize(offset, length, out.limit());
        int first = procedure == VersionTwoNumbers.RDMA2_ERROR ? error(header) : direction(header.direction());
        out.putInt(offset + XID_OFFSET, header.xid());
        out.putInt(offset + VERSION_OFFSET, VersionTwoNumbers.VERSION);
        out.putInt(offset + CREDITS_OFFSET, header.credits());
        out.putInt(offset + PROCEDURE_OFFSET, procedure);
        out.putInt(offset + BODY_OFFSET, first);
        switch (procedure) {
            case VersionTwoNumbers.RDMA2_ERROR -> {
                if (first == VersionTwoNumbers.RDMA2_ERR_VERS) {
                    out.putInt(offset + LOW_VERSION_OFFSET, header.lowVersion());
                    out.putInt(offset + HIGH_VERSION_OFFSET, header.highVersion());
                }
            }
            case VersionTwoNumbers.RDMA2_OPTIONAL -> encodeOptional(header, out, offset);
            default -> ChunkListCodec.encode(header, out, offset + LISTS_OFFSET);
        }
        return length;
    }

    private static void encodeOptional(TransportHeader header, ByteBuffer out, int offset) {
        ByteBuffer info = header.optionalInfo();
        int size = info.remaining();
        out.putInt(offset + OPTIONAL_TYPE_OFFSET, header.optionalType());
        out.putInt(offset + OPTIONAL_LENGTH_OFFSET, size);
        out.put(offset + OPTIONAL_INFO_OFFSET, info, info.position(), size);
        for (int i = size; i < padded(size); i++) {
            out.put(offset + OPTIONAL_INFO_OFFSET + i, (byte) 0);
        }
    }

    @Override
    public int decode(ByteBuffer in, int offset, int length, TransportHeader header) throws HeaderException {
        Objects.checkFromIndexSize(offset, length, in.limit());
        header.clear();
        if (length < FixedFields.LENGTH) {
            throw new HeaderException(HeaderError.NONE, length + " octets, fewer than the fixed fields", 0, XDR);
        }
        header.xid(FixedFields.xid(in, offset));
        header.credits(FixedFields.credits(in, offset));
        int procedure = FixedFields.procedure(in, offset);
        if (procedure == VersionTwoNumbers.RDMA2_ERROR) {
            return decodeError(in, offset, length, header);
        }
        requireVersion(FixedFields.version(in, offset), HeaderError.VERSION);
        switch (procedure) {
            case VersionTwoNumbers.RDMA2_MSG -> header.type(MessageType.MSG);
            case VersionTwoNumbers.RDMA2_NOMSG -> header.type(MessageType.NOMSG);
            case VersionTwoNumbers.RDMA2_OPTIONAL -> header.type(MessageType.OPTIONAL);
            default ->
                throw new HeaderException(
                        HeaderError.BAD_HEADER,
                        "rdma_proc " + Integer.toUnsignedString(procedure) + ", which there is not",
                        PROCEDURE_OFFSET,
                        XDR);
        }
        require(LISTS_OFFSET, length, HeaderError.BAD_HEADER);
        header.direction(decodeDirection(in.getInt(offset + BODY_OFFSET)));
        return procedure == VersionTwoNumbers.RDMA2_OPTIONAL
                ? decodeOptional(in, offset, length, header)
                : ChunkListCodec.decode(in, offset, offset + LISTS_OFFSET, offset + length, header) - offset;
    }

    private static int decodeOptional(ByteBuffer in, int offset, int length, TransportHeader header)
            throws HeaderException {
        require(OPTIONAL_INFO_OFFSET, length, HeaderError.BAD_HEADER);
        header.optionalType(in.getInt(offset + OPTIONAL_TYPE_OFFSET));
        int size = in.getInt(offset + OPTIONAL_LENGTH_OFFSET);
        // compared before padding is added, so that no size can overflow
        if (Integer.compareUnsigned(size, length - OPTIONAL_INFO_OFFSET) > 0
                || padded(size) > length - OPTIONAL_INFO_OFFSET) {
            throw new HeaderException(
                    HeaderError.BAD_HEADER,
                    "rdma_optinfo of " + Integer.toUnsignedString(size) + " octets that the message is too short for",
                    OPTIONAL_LENGTH_OFFSET,
                    XDR);
        }
        for (int i = size; i < padded(size); i++) {
            if (in.get(offset + OPTIONAL_INFO_OFFSET + i) != 0) {
                throw new HeaderException(
                        HeaderError.BAD_HEADER, "padding that is not zero", OPTIONAL_INFO_OFFSET + i, "RFC 4506 4.10");
            }
        }
        header.optionalInfo(in.slice(offset + OPTIONAL_INFO_OFFSET, size));
        return OPTIONAL_INFO_OFFSET + padded(size);
    }

    private static int decodeError(ByteBuffer in, int offset, int length, TransportHeader header)
            throws HeaderException {
        header.type(MessageType.ERROR);
        require(ERROR_LENGTH, length, HeaderError.NONE);
        int error = in.getInt(offset + BODY_OFFSET);
        if (error == VersionTwoNumbers.RDMA2_ERR_VERS) {
            require(ERR_VERS_LENGTH, length, HeaderError.NONE);
            header.error(HeaderError.VERSION)
                    .versions(in.getInt(offset + LOW_VERSION_OFFSET), in.getInt(offset + HIGH_VERSION_OFFSET));
            return ERR_VERS_LENGTH;
        }
        requireVersion(FixedFields.version(in, offset), HeaderError.NONE);
        header.error(
                switch (error) {
                    case VersionTwoNumbers.RDMA2_ERR_BAD_HEADER -> HeaderError.BAD_HEADER;
                    case VersionTwoNumbers.RDMA2_ERR_INVAL_OPTION -> HeaderError.INVALID_OPTION;
                    default ->
                        throw new HeaderException(
                                HeaderError.NONE,
                                "rdma_err " + Integer.toUnsignedString(error) + ", which there is not",
                                BODY_OFFSET,
                                XDR);
                });
        return ERROR_LENGTH;
    }

    private static int procedure(MessageType type) {
        return switch (type) {
            case MSG -> VersionTwoNumbers.RDMA2_MSG;
            case NOMSG -> VersionTwoNumbers.RDMA2_NOMSG;
            case ERROR -> VersionTwoNumbers.RDMA2_ERROR;
            case OPTIONAL -> VersionTwoNumbers.RDMA2_OPTIONAL;
            case MSGP, DONE -> throw new IllegalArgumentException("Version Two has no messages of type " + type);
        };
    }

    private static int error(TransportHeader header) {
        return switch (header.error()) {
            case VERSION -> VersionTwoNumbers.RDMA2_ERR_VERS;
            case BAD_HEADER -> VersionTwoNumbers.RDMA2_ERR_BAD_HEADER;
            case INVALID_OPTION -> VersionTwoNumbers.RDMA2_ERR_INVAL_OPTION;
            case NONE -> throw new IllegalArgumentException("an error message without an error");
        };
    }

    private static int direction(Direction direction) {
        return switch (direction) {
            case CALL -> VersionTwoNumbers.CALL;
            case REPLY -> VersionTwoNumbers.REPLY;
            case UNKNOWN -> throw new IllegalArgumentException("Version Two messages tell their direction");
        };
    }

    private static Direction decodeDirection(int value) throws HeaderException {
        return switch (value) {
            case VersionTwoNumbers.CALL -> Direction.CALL;
            case VersionTwoNumbers.REPLY -> Direction.REPLY;
            default ->
                throw new HeaderException(
                        HeaderError.BAD_HEADER,
                        "direction " + Integer.toUnsignedString(value) + ", neither call nor reply",
                        BODY_OFFSET,
                        XDR);
        };
    }

    private static int padded(int size) {
        return (size + WORD - 1) & -WORD;
    }

    private static void require(int wanted, int length, HeaderError answer) throws HeaderException {
        if (length < wanted) {
            throw new HeaderException(answer, length + " octets instead of " + wanted, BODY_OFFSET, XDR);
        }
    }

    private static void requireVersion(int version, HeaderError answer) throws HeaderException {
        if (version != VersionTwoNumbers.VERSION) {
            throw new HeaderException(
                    answer,
                    "rdma_vers " + Integer.toUnsignedString(version) + " instead of " + VersionTwoNumbers.VERSION,
                    VERSION_OFFSET,
                    XDR);
        }
    }
}
