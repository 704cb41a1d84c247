package io.verbena.verbs.selftest.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.verbs.RdmaException;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/** Messages of both ends, encoded and decoded. */
class MessageTest {
    private static ByteBuffer encoded(Message message) {
        ByteBuffer out = ByteBuffer.allocate(Message.LENGTH);
        message.encode(out);
        return out.flip();
    }

    @Test
    void shouldReadWhatItWrites() throws Exception {
        Message message = new Message(Message.Kind.WRITE, -1, 1000, Long.MIN_VALUE, 42);

        assertThat(Message.decode(encoded(message))).isEqualTo(message);
    }

    @Test
    void shouldRefuseWhatIsNoMessage() {
        ByteBuffer brief = encoded(Message.reply(0)).limit(Message.LENGTH - 1);
        ByteBuffer foreign = encoded(Message.reply(0)).put(0, (byte) 1);

        assertThatThrownBy(() -> Message.decode(brief)).isInstanceOf(RdmaException.class);
        assertThatThrownBy(() -> Message.decode(foreign)).isInstanceOf(RdmaException.class);
    }

    @Test
    void shouldRefuseKindsThatItDoesNotKnow() {
        for (int kind : new int[] {-1, Message.Kind.values().length, Integer.MAX_VALUE}) {
            ByteBuffer unknown = encoded(Message.reply(0)).putInt(4, kind);

            assertThatThrownBy(() -> Message.decode(unknown)).hasMessageContaining("unknown kind " + kind);
        }
    }

    @Test
    void shouldReadAGreetingWithZerosBehindIt() {
        HandshakeData handshake = new HandshakeData(1, HandshakeData.SIDE, -5);
        byte[] padded = java.util.Arrays.copyOf(handshake.encode(), 196);

        assertThat(HandshakeData.decode(padded)).contains(handshake);
        assertThat(HandshakeData.decode(java.util.Arrays.copyOf(padded, 15))).isEmpty();
        assertThat(HandshakeData.decode(new byte[196])).isEmpty();
    }

    @Test
    void shouldSeeEveryOctetThatIsWrong() {
        int length = 1000;
        ByteBuffer memory = ByteBuffer.allocate(length + 2 * Message.GUARD);
        Pattern.fill(memory, Message.GUARD, length, 7);
        assertThat(Pattern.matchesGuarded(memory, length, 7)).isTrue();
        assertThat(Pattern.matchesGuarded(memory, length, 8)).isFalse();
        for (int i = 0; i < memory.capacity(); i++) {
            memory.put(i, (byte) (memory.get(i) ^ 0x10));
            assertThat(Pattern.matchesGuarded(memory, length, 7))
                    .as("octet %d", i)
                    .isFalse();
            memory.put(i, (byte) (memory.get(i) ^ 0x10));
        }
    }
}
