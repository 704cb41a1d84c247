package io.verbena.rpcrdma.dispatcher.internal.base;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.rpc.LocalResourceException;
import io.verbena.rpc.TransportLostException;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;

/** Whether what this host lacks stays apart from what the peer does. */
class TransportErrorsTest {
    private static final InetSocketAddress REMOTE = InetSocketAddress.createUnresolved("srv", 20049);

    private final TransportLostException lack = new LocalResourceException("no direct memory", null, true);
    private final TransportLostException gone = new TransportLostException("no answer", null);

    @Test
    void shouldKeepItApartWhereTheConnectionIsGivenUp() {
        assertThat(TransportErrors.lost(REMOTE, "given up", lack)).isInstanceOf(LocalResourceException.class);
        assertThat(TransportErrors.lost(REMOTE, "given up", gone)).isNotInstanceOf(LocalResourceException.class);
    }

    @Test
    void shouldKeepItApartForCallsThatDidNotGoOut() {
        assertThat(TransportErrors.unsent(lack))
                .isInstanceOfSatisfying(LocalResourceException.class, e -> assertThat(e.wasSent())
                        .isFalse());
        assertThat(TransportErrors.unsent(gone)).isNotInstanceOf(LocalResourceException.class);
    }
}
