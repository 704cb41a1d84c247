package io.verbena.nfs41.client.internal.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.rpc.AuthStatus;
import io.verbena.rpc.CallProtection;
import io.verbena.rpc.OpaqueAuth;
import io.verbena.rpc.RpcConnection;
import io.verbena.rpc.RpcRejectedException;
import io.verbena.rpc.security.ProtectionService;
import io.verbena.rpc.security.SecurityClient;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class RenewedProtectionTest {
    private static final OpaqueAuth VERIFIER = new OpaqueAuth(6, new byte[4]);

    private final List<String> events = new ArrayList<>();
    private final AtomicReference<SecurityClient> present = new AtomicReference<>();
    private final RenewedProtection protection =
            new RenewedProtection(present::get, ProtectionService.PRIVACY, 100_003, 4, 1);

    /** Tells what is asked of it. */
    private final class Client implements SecurityClient {
        private final String name;

        Client(String name) {
            this.name = name;
        }

        @Override
        public CallProtection protect(int program, int version, int procedure) {
            return new CallProtection() {
                @Override
                public void seal(int xid, XdrWriter arguments, XdrWriter message) {
                    events.add(name + " seals");
                }

                @Override
                public void verify(OpaqueAuth verifier) {
                    events.add(name + " verifies");
                }

                @Override
                public void denied(AuthStatus status) {
                    events.add(name + " is denied");
                }

                @Override
                public XdrReader open(XdrReader results) {
                    events.add(name + " opens");
                    return results;
                }

                @Override
                public boolean isWhole() {
                    return true;
                }

                @Override
                public int replyOverhead() {
                    return 100;
                }
            };
        }

        @Override
        public void establish(RpcConnection by, int program, int version, Duration timeout) {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean isEstablished() {
            return true;
        }

        @Override
        public boolean isContextLost(Throwable failure) {
            return false;
        }

        @Override
        public void end(RpcConnection by, int program, int version, Duration timeout) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void close() {
            throw new UnsupportedOperationException();
        }
    }

    private void seal() throws Exception {
        protection.seal(7, new XdrWriter(), new XdrWriter());
    }

    private void open() throws Exception {
        protection.verify(VERIFIER);
        protection.open(new XdrReader(ByteBuffer.allocate(0)));
    }

    @Test
    void shouldOpenAReplyByTheClientThatHasSealedTheCall() throws Exception {
        present.set(new Client("first"));
        seal();
        present.set(null);
        assertThat(protection.replyOverhead()).isEqualTo(100);
        open();
        protection.denied(AuthStatus.RPCSEC_GSS_CREDPROBLEM);
        present.set(new Client("second"));
        assertThat(protection.replyOverhead()).isEqualTo(100);
        open();
        seal();
        open();
        assertThat(events)
                .containsExactly(
                        "first seals",
                        "first verifies",
                        "first opens",
                        "first is denied",
                        "first verifies",
                        "first opens",
                        "second seals",
                        "second verifies",
                        "second opens");
    }

    @Test
    void shouldSendNothingWithoutAClient() throws Exception {
        assertThatThrownBy(this::seal)
                .isInstanceOfSatisfying(RpcRejectedException.class, e -> assertThat(MountSecurity.isContextLost(e))
                        .isTrue());
        protection.denied(AuthStatus.AUTH_FAILED);
        present.set(new Client("first"));
        seal();
        present.set(null);
        assertThatThrownBy(this::seal).isInstanceOf(RpcRejectedException.class);
        open(); // of the transmission before
        assertThat(events).containsExactly("first seals", "first verifies", "first opens");
    }
}
