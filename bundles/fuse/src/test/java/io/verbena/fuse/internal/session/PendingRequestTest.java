package io.verbena.fuse.internal.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.fuse.internal.kernel.Opcode;
import io.verbena.fuse.internal.kernel.Protocol;
import io.verbena.fuse.internal.kernel.Request;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.api.Test;

final class PendingRequestTest {
    private static final int F_WRLCK = 1;
    /** The octets of {@code fuse_lk_in}. */
    private static final int LOCK_IN = 48;

    private static final int TYPE_AT = Protocol.IN_HEADER + 32;

    private static PendingRequest lock(Opcode opcode, int type) {
        ByteBuffer message = ByteBuffer.allocate(Protocol.IN_HEADER + LOCK_IN).order(ByteOrder.nativeOrder());
        message.putInt(0, message.capacity()).putInt(4, opcode.number()).putInt(TYPE_AT, type);
        return new PendingRequest(Request.of(message, 1));
    }

    /** The kernel sends LOCK_UN of flock(2) so; among the waits it would stand behind those that it ends. */
    @Test
    void shouldTakeAnUnlockThatComesAsAWaitForNone() {
        assertThat(lock(Opcode.SETLKW, Protocol.F_UNLCK).endsBySignal()).isFalse();
        assertThat(lock(Opcode.SETLKW, F_WRLCK).endsBySignal()).isTrue();
        assertThat(lock(Opcode.SETLK, F_WRLCK).endsBySignal()).isFalse();
    }

    /** It would be held by nobody who knows, and the timeout of a program falls at the time at which a lock is free. */
    @Test
    void shouldTellOfALockThatIsGrantedAsTheSignalComes() {
        PendingRequest lock = lock(Opcode.SETLKW, F_WRLCK);
        assertThat(lock.begin()).isTrue();
        lock.end();
        assertThat(lock.cancel()).isFalse();
        assertThat(lock.answers()).isTrue();
        assertThat(lock.answers()).isFalse();
    }

    @Test
    void shouldTellOfALockThatIsGrantedThoughItsThreadIsInterrupted() {
        PendingRequest lock = lock(Opcode.SETLKW, F_WRLCK);
        assertThat(lock.begin()).isTrue();
        assertThat(lock.cancel()).isFalse();
        lock.end();
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
        assertThat(lock.cancel()).isFalse();
        assertThat(lock.answers()).isTrue();
    }

    @Test
    void shouldHaveNoAnswerLeftWhereItIsCancelledBeforeItBegins() {
        PendingRequest lock = lock(Opcode.SETLKW, F_WRLCK);
        assertThat(lock.cancel()).isTrue();
        assertThat(lock.begin()).isFalse();
        assertThat(lock.answers()).isFalse();
    }

    /** The unlock behind it waits for the server, too. */
    @Test
    void shouldEndACloseThatUnlocks() {
        PendingRequest close = lock(Opcode.FLUSH, 0);
        assertThat(close.begin()).isTrue();
        close.end();
        assertThat(close.cancel()).isTrue();
        assertThat(close.answers()).isFalse();
    }
}
