package io.verbena.rpcrdma.v1.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.verbena.rpcrdma.HeaderError;
import io.verbena.rpcrdma.HeaderException;
import io.verbena.rpcrdma.MessageType;
import io.verbena.rpcrdma.TransportHeader;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * Headers that were damaged at random, from a fixed seed. Each is decoded between guard octets, then between other ones,
 * then from a buffer that ends with it: were anything outside read, the outcomes would differ, or the last would run
 * over the buffer's limit.
 */
class HeaderMutationTest {
    private static final long SEED = 8166;
    private static final int MUTANTS = 200_000;
    private static final int GUARD = 64;
    private static final int MAX_LENGTH = 512;

    private static final String[] PICTURES = {
        "1 1 32 0 0 0 0",
        "2 1 32 0 1 PHLOO 0 0 0",
        "3 1 32 0 1 PHLOO 1 PHLOO 1 PHLOO 0 1 3 HLOO HLOO HLOO 1 2 HLOO HLOO 0 1 2 HLOO HLOO",
        "4 1 32 1 1 PHLOO 0 0 1 1 HLOO",
        "5 1 32 1 0 1 1 HLOO 0 1 4 HLOO HLOO HLOO HLOO",
        "6 1 32 2 64 1024 1 PHLOO 0 0 0",
        "7 1 32 3",
        "8 1 32 4 1 1 2",
        "9 2 32 4 1 1 1",
        "10 1 32 4 2",
        "11 1 32 0 0 1 0 1 0 1 0 0 1 0",
    };

    private static final int[] NOTABLE_WORDS = {
        0, 1, 2, 3, 4, 5, 7, 8, -1, -2, -4, 0x7fffffff, 0x7ffffffc, 0x80000000, 0x10000000, 0x10000001, 0x0fffffff
    };

    private final VersionOneFraming framing = new VersionOneFraming();
    private final TransportHeader header = new TransportHeader();
    private final byte[] guarded = new byte[2 * GUARD + MAX_LENGTH];
    private final ByteBuffer reencoded = ByteBuffer.allocate(MAX_LENGTH);
    private final byte[] sound = Segments.words(PICTURES[2], 0, 8, 8);
    private int accepted;
    private int refused;

    @Test
    @DisplayName("V1-5.5-1 no octets at all make the decoder fail otherwise than it says, or read outside the message")
    void shouldRefuseOrDecodeEveryMutant() {
        Random random = new Random(SEED);
        for (int i = 0; i < MUTANTS; i++) {
            byte[] mutant = mutate(random, PICTURES[random.nextInt(PICTURES.length)]);
            try {
                check(mutant);
            } catch (RuntimeException | AssertionError e) {
                fail("seed " + SEED + ", mutant " + i + ": " + HexFormat.of().formatHex(mutant), e);
            }
        }
        // both ways are taken often, else this would prove little
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

    /** Decodes and tells what came of it; what was accepted is encoded again, which gives the same octets. */
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
        // an ERR_VERS may come with any version, and is sent with ours
        ByteBuffer expected = ByteBuffer.allocate(original.remaining()).put(0, original, 0, original.remaining());
        expected.putInt(4, 1);
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
                return Arrays.copyOf(octets, random.nextInt(octets.length)); // cuts it off
            }
            case 4 -> {
                return Arrays.copyOf(octets, octets.length + random.nextInt(40)); // makes it longer
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
