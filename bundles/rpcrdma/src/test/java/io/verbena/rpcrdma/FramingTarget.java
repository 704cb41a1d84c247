package io.verbena.rpcrdma;

import io.verbena.fuzzing.FuzzTarget;
import java.nio.ByteBuffer;
import java.util.random.RandomGenerator;

/**
 * A fuzz target for the framing of a version: it decodes each input with a cleared header, and then with a used one.
 */
public class FramingTarget implements FuzzTarget {
    private static final int MAX_SEGMENTS = 5;
    private static final int MAX_EMPTY_CHUNKS = 200;
    private static final int LARGEST_BODY = 64;
    /** The octets of a refusal: an exception with its text and stack. */
    private static final int REFUSAL = 2048;

    private final Framing framing;
    private final MessageType[] types;
    private final HeaderError[] errors;
    private final Direction[] directions;
    private TransportHeader header = new TransportHeader();
    private int headerLength;

    /**
     * @param types the message types that the version can encode
     * @param errors the errors that the version can encode
     * @param directions the directions that the version can encode
     */
    public FramingTarget(Framing framing, MessageType[] types, HeaderError[] errors, Direction[] directions) {
        this.framing = framing;
        this.types = types;
        this.errors = errors;
        this.directions = directions;
    }

    @Override
    public byte[] sample(RandomGenerator random) {
        TransportHeader sample = new TransportHeader()
                .xid(random.nextInt())
                .credits(random.nextInt(1000))
                .type(types[random.nextInt(types.length)])
                .error(errors[random.nextInt(errors.length)])
                .direction(directions[random.nextInt(directions.length)])
                .versions(random.nextInt(3), random.nextInt(3))
                .optionalType(random.nextInt(4))
                .optionalInfo(ByteBuffer.wrap(octets(random)));
        for (int i = random.nextInt(MAX_SEGMENTS); i > 0; i--) {
            sample.readList()
                    .add(4 * random.nextInt(100), random.nextInt(), random.nextInt(1 << 20), random.nextLong());
        }
        for (int i = random.nextInt(3); i > 0; i--) {
            addSegments(sample.writeList().add(), random);
        }
        for (int i = random.nextInt(16) == 0 ? random.nextInt(MAX_EMPTY_CHUNKS) : 0; i > 0; i--) {
            sample.writeList().add();
        }
        sample.hasReplyChunk(random.nextBoolean());
        addSegments(sample.replyChunk(), random);
        byte[] body = octets(random);
        ByteBuffer out = ByteBuffer.allocate(framing.encodedLength(sample) + body.length);
        int length = framing.encode(sample, out, 0);
        return out.put(length, body).array();
    }

    private static byte[] octets(RandomGenerator random) {
        byte[] octets = new byte[random.nextInt(LARGEST_BODY)];
        random.nextBytes(octets);
        return octets;
    }

    private static void addSegments(SegmentList chunk, RandomGenerator random) {
        for (int i = random.nextInt(MAX_SEGMENTS); i > 0; i--) {
            chunk.add(random.nextInt(), random.nextInt(1 << 20), random.nextLong());
        }
    }

    @Override
    public void prepare(int run) {
        if (run == 0) {
            header = new TransportHeader();
        }
    }

    @Override
    public String decode(ByteBuffer in, int offset, int length) throws HeaderException {
        headerLength = framing.decode(in, offset, length, header);
        if (headerLength < FixedFields.LENGTH || headerLength > length) {
            throw new IllegalStateException("header of " + headerLength + " octets in a message of " + length);
        }
        return header.type().name();
    }

    @Override
    public long digest() {
        long digest = mix(headerLength, header.xid());
        digest = mix(digest, header.credits());
        digest = mix(digest, header.type().name().hashCode());
        digest = mix(digest, header.direction().name().hashCode());
        digest = mix(digest, header.error().name().hashCode());
        digest = mix(mix(digest, header.lowVersion()), header.highVersion());
        digest = mix(mix(digest, header.optionalType()), header.optionalInfo().hashCode());
        ReadList reads = header.readList();
        for (int i = 0; i < reads.size(); i++) {
            digest = mix(mix(digest, reads.position(i)), reads.handle(i));
            digest = mix(mix(digest, reads.length(i)), reads.offset(i));
        }
        digest = mix(digest, reads.size());
        for (int i = 0; i < header.writeList().size(); i++) {
            digest = mix(digest, header.writeList().chunk(i));
        }
        digest = mix(digest, header.writeList().size());
        return header.hasReplyChunk() ? mix(digest, header.replyChunk()) : digest;
    }

    private static long mix(long digest, SegmentList chunk) {
        long mixed = mix(digest, chunk.size());
        for (int i = 0; i < chunk.size(); i++) {
            mixed = mix(mix(mix(mixed, chunk.handle(i)), chunk.length(i)), chunk.offset(i));
        }
        return mixed;
    }

    private static long mix(long digest, long value) {
        return (digest ^ value) * 0x9e3779b97f4a7c15L + Long.rotateLeft(digest, 23);
    }

    @Override
    public String refusal(Exception refusal) {
        if (!(refusal instanceof HeaderException header)) {
            return null;
        }
        return switch (header.error()) {
            case NONE -> "refused without answer";
            case BAD_HEADER -> "refused as BAD_HEADER";
            case VERSION -> "refused as VERSION";
            case INVALID_OPTION -> null;
        };
    }

    /** Headers of types that are only ever decoded have no encoding. */
    @Override
    public int encode(ByteBuffer out) {
        boolean encodes = header.type() != MessageType.MSGP && header.type() != MessageType.DONE;
        return encodes ? framing.encode(header, out, 0) : -1;
    }

    /** A Write chunk without segments takes two words on the wire and an object in memory. */
    @Override
    public long allowance(int length) {
        return REFUSAL + 8L * length;
    }

    /** Only the view of {@code rdma_optinfo} is allocated once the header's lists are large enough. */
    @Override
    public long settledAllowance(int length, boolean accepted) {
        if (!accepted) {
            return REFUSAL;
        }
        return header.type() == MessageType.OPTIONAL ? 128 : 0;
    }
}
