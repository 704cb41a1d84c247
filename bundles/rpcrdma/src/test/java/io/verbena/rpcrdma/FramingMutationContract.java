package io.verbena.rpcrdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * The framing of every version, on headers that are damaged at random from a fixed seed. Each header is decoded three
 * times: between guard octets, between other guard octets, and from a buffer that ends with the header. If the decoder
 * read outside of the header, the results would differ, or the last attempt would exceed the buffer's limit.
 */
public abstract class FramingMutationContract {
    private static final long SEED = 8166;
    private static final int MUTANTS = 200_000;
    private static final int GUARD = 64;
    private static final int MAX_LENGTH = 512;

    private static final int[] NOTABLE_WORDS = {
        0, 1, 2, 3, 4, 5, 7, 8, -1, -2, -4, 0x7fffffff, 0x7ffffffc, 0x80000000, 0x10000000, 0x10000001, 0x0fffffff
    };

    private final Framing framing;
    private final String[] pictures;
    private final TransportHeader header = new TransportHeader();
    private final byte[] guarded = new byte[2 * GUARD + MAX_LENGTH];
    private final ByteBuffer reencoded = ByteBuffer.allocate(MAX_LENGTH);
    private final byte[] sound;
    private int accepted;
    private int refused;

    /**
     * @param pictures valid headers ({@link Segments#words}) with at most three Read segments; in the first one no list
     *     is empty
     */
    protected FramingMutationContract(Framing framing, String... pictures) {
        this.framing = framing;
        this.pictures = pictures;
        this.sound = Segments.words(pictures[0], 0, 8, 8);
    }

    @Test
    @DisplayName("no octets at all make the decoder fail otherwise than it says, or read outside the message")
    protected void shouldRefuseOrDecodeEveryMutant() {
        Random random = new Random(SEED);
        for (int i = 0; i < MUTANTS; i++) {
            byte[] mutant = mutate(random, pictures[random.nextInt(pictures.length)]);
            try {
                check(mutant);
            } catch (RuntimeException | AssertionError e) {
                fail("seed " + SEED + ", mutant " + i + ": " + HexFormat.of().formatHex(mutant), e);
            }
        }
        // both results have to be frequent, otherwise the test proves little
        assertThat(accepted).isGreaterThan(MUTANTS / 20);
        assertThat(refused).isGreaterThan(MUTANTS / 20);
    }

    private void check(byte[] mutant) {
        String outcome = decode(surround(mutant, 0), GUARD, mutant.length);
        String otherGuards = decode(surround(mutant, 0xff), GUARD, mutant.length);
        String noGuards = decode(ByteBuffer.wrap(mutant), 0, mutant.length);
        if (!outcome.equals(otherGuards) || !outcome.equals(noGuards)) {
            fail("depends on what surrounds it: " + outcome + " / " + otherGuards + " / " + noGuards);
        }
        checkReusable();
    }

    /**
     * Decodes a header and returns the result as text. An accepted header is encoded again, which has to yield the same
     * octets.
     */
    private String decode(ByteBuffer in, int offset, int length) {
        try {
            int headerLength = framing.decode(in, offset, length, header);
            accepted++;
            if (headerLength < 16 || headerLength > length) {
                fail("header of " + headerLength + " octets in a message of " + length);
            }
            if (header.type() != MessageType.MSGP && header.type() != MessageType.DONE) {
                checkReencoded(in.slice(offset, headerLength));
            }
            return header.type() + " of " + headerLength;
        } catch (HeaderException e) {
            refused++;
            if (e.error() == HeaderError.INVALID_OPTION || e.offset() < 0 || e.offset() > length) {
                fail("no proper refusal", e);
            }
            return e.error() + " " + e.getMessage();
        }
    }

    private void checkReencoded(ByteBuffer original) {
        int length = framing.encode(header, reencoded, 0);
        // an ERR_VERS is accepted with any version, and is encoded with our version
        ByteBuffer expected = ByteBuffer.allocate(original.remaining()).put(0, original, 0, original.remaining());
        expected.putInt(FixedFields.VERSION_OFFSET, framing.version());
        if (!reencoded.slice(0, length).equals(expected)) {
            fail("encoded again it differs");
        }
    }

    private void checkReusable() {
        try {
            int length = framing.decode(ByteBuffer.wrap(sound), 0, sound.length, header);
            checkReencoded(ByteBuffer.wrap(sound, 0, length).slice());
        } catch (HeaderException e) {
            fail("the header cannot be used again", e);
        }
    }

    private ByteBuffer surround(byte[] mutant, int guard) {
        Arrays.fill(guarded, (byte) guard);
        System.arraycopy(mutant, 0, guarded, GUARD, mutant.length);
        return ByteBuffer.wrap(guarded);
    }

    private static byte[] mutate(Random random, String picture) {
        byte[] octets = Segments.words(picture, 4 * random.nextInt(4), 180, 180);
        for (int i = random.nextInt(4); i >= 0; i--) {
            octets = mutateOnce(random, octets);
        }
        return octets.length > MAX_LENGTH ? Arrays.copyOf(octets, MAX_LENGTH) : octets;
    }

    private static byte[] mutateOnce(Random random, byte[] octets) {
        if (octets.length < 8) {
            return Arrays.copyOf(octets, 32);
        }
        int word = 4 * random.nextInt(octets.length / 4);
        switch (random.nextInt(6)) {
            case 0 -> octets[random.nextInt(octets.length)] ^= (byte) (1 << random.nextInt(8));
            case 1 -> ByteBuffer.wrap(octets).putInt(word, NOTABLE_WORDS[random.nextInt(NOTABLE_WORDS.length)]);
            case 2 -> ByteBuffer.wrap(octets).putInt(word, random.nextInt());
            case 3 -> {
                return Arrays.copyOf(octets, random.nextInt(octets.length)); // truncates the octets
            }
            case 4 -> {
                return Arrays.copyOf(octets, octets.length + random.nextInt(40)); // appends zeros
            }
            default -> {
                return withoutWord(octets, word);
            }
        }
        return octets;
    }

    private static byte[] withoutWord(byte[] octets, int at) {
        byte[] shorter = new byte[octets.length - 4];
        System.arraycopy(octets, 0, shorter, 0, at);
        System.arraycopy(octets, at + 4, shorter, at, shorter.length - at);
        return shorter;
    }
}
