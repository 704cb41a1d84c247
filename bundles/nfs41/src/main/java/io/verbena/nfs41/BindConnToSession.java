package io.verbena.nfs41;

import io.verbena.xdr.XdrException;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;

/** BIND_CONN_TO_SESSION: lets a session use a connection (RFC 8881 section 18.34). */
public final class BindConnToSession {
    private BindConnToSession() {}

    /** {@code channel_dir_from_client4}: what the client wishes to use the connection for. */
    public enum Wish {
        FORE(1),
        BACK(2),
        FORE_OR_BOTH(3),
        BACK_OR_BOTH(7);

        private final int code;

        Wish(int code) {
            this.code = code;
        }
    }

    /** {@code channel_dir_from_server4}: what the connection can be used for. */
    public enum Direction {
        FORE(1),
        BACK(2),
        BOTH(3);

        private final int code;

        Direction(int code) {
            this.code = code;
        }
    }

    /**
     * The arguments.
     *
     * @param sessionId the session
     * @param wish for which direction
     * @param rdmaMode whether the connection shall step up to RDMA
     */
    public record Args(SessionId sessionId, Wish wish, boolean rdmaMode) {}

    /**
     * The results.
     *
     * @param sessionId the session
     * @param direction for which direction
     * @param rdmaMode whether the connection steps up to RDMA
     */
    public record Result(SessionId sessionId, Direction direction, boolean rdmaMode) {}

    public static void encodeArgs(XdrWriter out, Args args) {
        out.putInt(Opcode.BIND_CONN_TO_SESSION);
        args.sessionId.encode(out);
        out.putInt(args.wish.code).putBoolean(args.rdmaMode);
    }

    public static Args decodeArgs(XdrReader in) throws XdrException {
        return new Args(SessionId.decode(in), decodeWish(in), in.getBoolean());
    }

    private static Wish decodeWish(XdrReader in) throws XdrException {
        int code = in.getInt();
        return switch (code) {
            case 1 -> Wish.FORE;
            case 2 -> Wish.BACK;
            case 3 -> Wish.FORE_OR_BOTH;
            case 7 -> Wish.BACK_OR_BOTH;
            default -> throw new XdrException("channel_dir_from_client4 " + code, in.position() - 4);
        };
    }

    public static void encodeResult(XdrWriter out, Result result) {
        Codec.ok(out, Opcode.BIND_CONN_TO_SESSION);
        result.sessionId.encode(out);
        out.putInt(result.direction.code).putBoolean(result.rdmaMode);
    }

    public static Result decodeResult(XdrReader in) throws XdrException {
        return new Result(SessionId.decode(in), decodeDirection(in), in.getBoolean());
    }

    private static Direction decodeDirection(XdrReader in) throws XdrException {
        int code = in.getInt();
        return switch (code) {
            case 1 -> Direction.FORE;
            case 2 -> Direction.BACK;
            case 3 -> Direction.BOTH;
            default -> throw new XdrException("channel_dir_from_server4 " + code, in.position() - 4);
        };
    }
}
