package io.verbena.cli.rdma.internal;

import io.verbena.rpcrdma.Direction;
import io.verbena.rpcrdma.FixedFields;
import io.verbena.rpcrdma.MessageType;
import io.verbena.rpcrdma.ReadList;
import io.verbena.rpcrdma.SegmentList;
import io.verbena.rpcrdma.TransportHeader;
import io.verbena.rpcrdma.WriteList;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.Map;
import javax.json.Json;
import javax.json.JsonArrayBuilder;
import javax.json.JsonBuilderFactory;
import javax.json.JsonObjectBuilder;
import javax.json.JsonValue;

/**
 * Converts a header to JSON. Numbers are unsigned and decimal. Handles and offsets are text that consists of 0x and 8
 * or 16 hex digits. Names are those of the specifications.
 */
final class HeaderJson {
    private static final int VERSION_TWO = 2;
    private static final int RPC_CALL = 0;
    private static final int RPC_REPLY = 1;
    private static final int RPC_START = 8;

    private final JsonBuilderFactory factory = Json.createBuilderFactory(Map.of());

    /**
     * Returns a header as JSON.
     *
     * @param message the message, which begins with the header
     * @param length the length of the header in octets
     */
    JsonObjectBuilder of(TransportHeader header, ByteBuffer message, int length) {
        int version = FixedFields.version(message, 0);
        boolean second = version == VERSION_TWO;
        boolean isRpc = carriesRpc(header.type()) && message.limit() - length >= RPC_START;
        JsonObjectBuilder object = factory.createObjectBuilder();
        object.add("xid", Integer.toUnsignedLong(header.xid()));
        object.add("vers", Integer.toUnsignedLong(version));
        object.add("credit", Integer.toUnsignedLong(header.credits()));
        object.add("proc", procedure(header.type(), second));
        add(object, "direction", second ? ofHeader(header) : isRpc ? ofRpc(message.getInt(length + 4)) : null);
        object.add("reads", reads(header.readList()));
        object.add("writes", writes(header.writeList()));
        add(object, "reply", header.hasReplyChunk() ? segments(header.replyChunk()) : null);
        add(object, "error", header.type() == MessageType.ERROR ? error(header, second) : null);
        add(object, "optional", header.type() == MessageType.OPTIONAL ? optional(header) : null);
        add(object, "rpc", isRpc ? rpc(message, length) : null);
        return object.add("payloadOffset", length);
    }

    private static void add(JsonObjectBuilder object, String name, JsonObjectBuilder value) {
        object.add(name, value == null ? JsonValue.NULL : value.build());
    }

    private static void add(JsonObjectBuilder object, String name, JsonArrayBuilder value) {
        object.add(name, value == null ? JsonValue.NULL : value.build());
    }

    private static void add(JsonObjectBuilder object, String name, String value) {
        if (value == null) {
            object.addNull(name);
        } else {
            object.add(name, value);
        }
    }

    private static boolean carriesRpc(MessageType type) {
        return type == MessageType.MSG || type == MessageType.MSGP || type == MessageType.OPTIONAL;
    }

    private static String procedure(MessageType type, boolean second) {
        return prefix(second) + type.name();
    }

    /** Returns the prefix of names in the XDR of a version, for {@code rdma_proc} and for error codes. */
    private static String prefix(boolean second) {
        return second ? "RDMA2_" : "RDMA_";
    }

    private static String ofHeader(TransportHeader header) {
        return header.direction() == Direction.UNKNOWN
                ? null
                : header.direction().name();
    }

    private static String ofRpc(int type) {
        return type == RPC_CALL ? "CALL" : type == RPC_REPLY ? "REPLY" : null;
    }

    private JsonArrayBuilder reads(ReadList list) {
        JsonArrayBuilder array = factory.createArrayBuilder();
        for (int i = 0; i < list.size(); i++) {
            JsonObjectBuilder segment = factory.createObjectBuilder().add("position", list.position(i));
            array.add(segment(segment, list.handle(i), list.length(i), list.offset(i)));
        }
        return array;
    }

    private JsonArrayBuilder writes(WriteList list) {
        JsonArrayBuilder array = factory.createArrayBuilder();
        for (int i = 0; i < list.size(); i++) {
            array.add(segments(list.chunk(i)));
        }
        return array;
    }

    private JsonArrayBuilder segments(SegmentList chunk) {
        JsonArrayBuilder array = factory.createArrayBuilder();
        for (int i = 0; i < chunk.size(); i++) {
            array.add(segment(factory.createObjectBuilder(), chunk.handle(i), chunk.length(i), chunk.offset(i)));
        }
        return array;
    }

    private static JsonObjectBuilder segment(JsonObjectBuilder object, int handle, long length, long offset) {
        return object.add("handle", handle(handle))
                .add("length", length)
                .add("offset", "0x" + HexFormat.of().toHexDigits(offset));
    }

    /** Returns a steering tag as text. */
    static String handle(int tag) {
        return "0x" + HexFormat.of().toHexDigits(tag);
    }

    private JsonObjectBuilder error(TransportHeader header, boolean second) {
        JsonObjectBuilder object = factory.createObjectBuilder();
        switch (header.error()) {
            case VERSION ->
                object.add("code", prefix(second) + "ERR_VERS")
                        .add("low", Integer.toUnsignedLong(header.lowVersion()))
                        .add("high", Integer.toUnsignedLong(header.highVersion()));
            case BAD_HEADER -> withoutVersions(object, second ? "RDMA2_ERR_BAD_HEADER" : "RDMA_ERR_CHUNK");
            case INVALID_OPTION -> withoutVersions(object, "RDMA2_ERR_INVAL_OPTION");
            case NONE -> throw new IllegalStateException("an error without a code was decoded");
        }
        return object;
    }

    private static void withoutVersions(JsonObjectBuilder object, String code) {
        object.add("code", code).addNull("low").addNull("high");
    }

    private JsonObjectBuilder optional(TransportHeader header) {
        ByteBuffer info = header.optionalInfo().duplicate();
        byte[] octets = new byte[info.remaining()];
        info.get(octets);
        return factory.createObjectBuilder()
                .add("type", Integer.toUnsignedLong(header.optionalType()))
                .add("info", HexFormat.of().formatHex(octets));
    }

    private JsonObjectBuilder rpc(ByteBuffer message, int at) {
        return factory.createObjectBuilder()
                .add("xid", Integer.toUnsignedLong(message.getInt(at)))
                .add("type", Integer.toUnsignedLong(message.getInt(at + Integer.BYTES)));
    }
}
