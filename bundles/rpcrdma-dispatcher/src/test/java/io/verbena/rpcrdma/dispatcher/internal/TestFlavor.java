package io.verbena.rpcrdma.dispatcher.internal;

import io.verbena.memory.MemoryRefusedException;
import io.verbena.rpc.AcceptStatus;
import io.verbena.rpc.AuthStatus;
import io.verbena.rpc.CallProtection;
import io.verbena.rpc.CallSecurity;
import io.verbena.rpc.Credential;
import io.verbena.rpc.OpaqueAuth;
import io.verbena.rpc.PeerProtocolException;
import io.verbena.rpc.RpcMessages;
import io.verbena.rpc.RpcPeer;
import io.verbena.rpc.RpcProgram;
import io.verbena.rpc.RpcRequest;
import io.verbena.xdr.XdrException;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * A security flavor of the shape of RPCSEC_GSS (RFC 2203), with a key that both ends have: a sequence number in the
 * credential, a checksum of the header as the call's verifier, and a checksum of the sequence number as the reply's.
 * Where it protects as a whole, arguments and results travel as one opaque with a checksum behind.
 */
final class TestFlavor implements CallSecurity {
    static final int FLAVOR = 77;
    private static final int CHECKSUM = 32;

    private final boolean isWhole;
    private final AtomicInteger sequence = new AtomicInteger();

    /** The sequence numbers that the server has taken, in their order. */
    final ConcurrentLinkedQueue<Integer> taken = new ConcurrentLinkedQueue<>();

    /** An octet of what the server sends that is changed, counted from the checksum's start; negative for none. */
    volatile int damage = -1;

    TestFlavor(boolean isWhole) {
        this.isWhole = isWhole;
    }

    private static byte[] checksum(ByteBuffer octets) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(new byte[] {1, 2, 3}, "HmacSHA256"));
            mac.update(octets);
            return mac.doFinal();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private static byte[] checksum(int number) {
        return checksum(ByteBuffer.allocate(4).putInt(0, number));
    }

    private static void wrap(XdrWriter plain, XdrWriter out) {
        byte[] octets = plain.toByteArray();
        out.putOpaque(octets).putFixedOpaque(checksum(ByteBuffer.wrap(octets)));
    }

    private static XdrReader unwrap(XdrReader in) throws XdrException {
        byte[] octets = in.getOpaque(1 << 24);
        byte[] found = in.getFixedOpaque(CHECKSUM);
        if (!java.util.Arrays.equals(found, checksum(ByteBuffer.wrap(octets)))) {
            throw new XdrException("a wrong checksum", in.position());
        }
        return new XdrReader(ByteBuffer.wrap(octets));
    }

    @Override
    public CallProtection protect(int program, int version, int procedure) {
        List<Integer> sent = new ArrayList<>();
        return new CallProtection() {
            @Override
            public void seal(int xid, XdrWriter arguments, XdrWriter message) {
                int number = sequence.incrementAndGet();
                sent.add(number);
                RpcMessages.writeCall(message, xid, program, version, procedure);
                new OpaqueAuth(FLAVOR, ByteBuffer.allocate(4).putInt(0, number)).encode(message);
                ByteBuffer header = ByteBuffer.allocate(message.position());
                message.copyStream(0, message.position(), header);
                new OpaqueAuth(FLAVOR, checksum(header.flip())).encode(message);
                if (isWhole) {
                    wrap(arguments, message);
                } else {
                    message.append(arguments);
                }
            }

            @Override
            public void verify(OpaqueAuth verifier) throws PeerProtocolException {
                if (sent.stream().noneMatch(number -> verifier.equals(new OpaqueAuth(FLAVOR, checksum(number))))) {
                    throw new PeerProtocolException("a verifier of no transmission", null);
                }
            }

            @Override
            public XdrReader open(XdrReader results) throws XdrException {
                return isWhole ? unwrap(results) : results;
            }

            @Override
            public boolean isWhole() {
                return isWhole;
            }

            @Override
            public int replyOverhead() {
                return 4 + CHECKSUM + 4 + 3 + CHECKSUM;
            }
        };
    }

    /** A program that takes calls of this flavor alone. */
    RpcProgram program(RpcProgram inner) {
        return new RpcProgram() {
            @Override
            public int program() {
                return inner.program();
            }

            @Override
            public int lowVersion() {
                return inner.lowVersion();
            }

            @Override
            public int highVersion() {
                return inner.highVersion();
            }

            @Override
            public boolean takesFlavor(int flavor) {
                return flavor == FLAVOR;
            }

            @Override
            public void handle(RpcRequest request) throws Exception {
                OpaqueAuth signed = new OpaqueAuth(FLAVOR, checksum(request.signedHeader()));
                if (!(request.credential() instanceof Credential.Other other)) {
                    request.reject(AuthStatus.AUTH_TOOWEAK);
                } else if (!request.verifier().equals(signed)) {
                    request.reject(AuthStatus.RPCSEC_GSS_CREDPROBLEM);
                } else {
                    int number = other.auth().body().getInt(0);
                    taken.add(number);
                    byte[] answer = checksum(number);
                    if (damage >= 0) {
                        answer[damage] ^= 1;
                    }
                    request.setVerifier(new OpaqueAuth(FLAVOR, answer));
                    inner.handle(isWhole ? new Unwrapped(request, unwrap(request.arguments())) : request);
                }
            }

            @Override
            public void disconnected(RpcPeer peer) {
                inner.disconnected(peer);
            }
        };
    }

    /** A request whose arguments are unwrapped, and whose results are wrapped. */
    private static final class Unwrapped implements RpcRequest {
        private final RpcRequest wrapped;
        private final XdrReader arguments;
        private final XdrWriter results = new XdrWriter();

        Unwrapped(RpcRequest wrapped, XdrReader arguments) {
            this.wrapped = wrapped;
            this.arguments = arguments;
        }

        @Override
        public RpcPeer peer() {
            return wrapped.peer();
        }

        @Override
        public int xid() {
            return wrapped.xid();
        }

        @Override
        public int version() {
            return wrapped.version();
        }

        @Override
        public int procedure() {
            return wrapped.procedure();
        }

        @Override
        public Credential credential() {
            return new Credential.Proved(FLAVOR, "someone", 2);
        }

        @Override
        public ByteBuffer signedHeader() {
            return wrapped.signedHeader();
        }

        @Override
        public OpaqueAuth verifier() {
            return wrapped.verifier();
        }

        @Override
        public void setVerifier(OpaqueAuth verifier) {
            wrapped.setVerifier(verifier);
        }

        @Override
        public XdrReader arguments() {
            return arguments;
        }

        @Override
        public XdrWriter results() {
            return results;
        }

        @Override
        public ByteBuffer allocate(int bytes) throws MemoryRefusedException {
            return wrapped.allocate(bytes);
        }

        @Override
        public long resultCapacity(int index) {
            return -1;
        }

        @Override
        public void reply() {
            wrap(results, wrapped.results());
            wrapped.reply();
        }

        @Override
        public void fail(AcceptStatus status) {
            wrapped.fail(status);
        }

        @Override
        public void reject(AuthStatus status) {
            wrapped.reject(status);
        }

        @Override
        public void drop() {
            wrapped.drop();
        }
    }
}
