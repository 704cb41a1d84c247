package io.verbena.nfs41.client.internal.testing;

import io.verbena.fuzzing.Damage;
import io.verbena.memory.MemoryRefusedException;
import io.verbena.rpc.AcceptStatus;
import io.verbena.rpc.AuthStatus;
import io.verbena.rpc.Credential;
import io.verbena.rpc.OpaqueAuth;
import io.verbena.rpc.RpcPeer;
import io.verbena.rpc.RpcProgram;
import io.verbena.rpc.RpcRequest;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;
import java.nio.ByteBuffer;

/** A malicious server: an honest one, some of whose replies are damaged before they are sent. */
public final class DamagedReplies implements RpcProgram {
    private final RpcProgram server;
    private final Damage damage;
    private volatile boolean isActive;

    public DamagedReplies(RpcProgram server, Damage damage) {
        this.server = server;
        this.damage = damage;
    }

    /** Damages replies from now on, or no longer. */
    public void setActive(boolean active) {
        isActive = active;
    }

    @Override
    public int program() {
        return server.program();
    }

    @Override
    public int lowVersion() {
        return server.lowVersion();
    }

    @Override
    public int highVersion() {
        return server.highVersion();
    }

    @Override
    public void disconnected(RpcPeer peer) {
        server.disconnected(peer);
    }

    @Override
    public void handle(RpcRequest request) throws Exception {
        server.handle(new Damaged(request));
    }

    private final class Damaged implements RpcRequest {
        private final RpcRequest request;

        Damaged(RpcRequest request) {
            this.request = request;
        }

        @Override
        public void reply() {
            if (isActive && damage.isNext()) {
                change(request.results());
            }
            request.reply();
        }

        /** Bulk data goes into the client's memory, so it stays; the words around it change. */
        private void change(XdrWriter results) {
            if (results.items().isEmpty()) {
                byte[] damaged = damage.of(results.toByteArray());
                results.reset();
                results.putFixedOpaque(damaged);
            } else {
                int words = results.position() / Integer.BYTES;
                int at = damage.number(words) * Integer.BYTES;
                results.setInt(at, results.getInt(at) ^ 1 << damage.number(Integer.SIZE));
            }
        }

        @Override
        public RpcPeer peer() {
            return request.peer();
        }

        @Override
        public int xid() {
            return request.xid();
        }

        @Override
        public int version() {
            return request.version();
        }

        @Override
        public int procedure() {
            return request.procedure();
        }

        @Override
        public Credential credential() {
            return request.credential();
        }

        @Override
        public ByteBuffer signedHeader() {
            return request.signedHeader();
        }

        @Override
        public OpaqueAuth verifier() {
            return request.verifier();
        }

        @Override
        public void setVerifier(OpaqueAuth verifier) {
            request.setVerifier(verifier);
        }

        @Override
        public XdrReader arguments() {
            return request.arguments();
        }

        @Override
        public XdrWriter results() {
            return request.results();
        }

        @Override
        public ByteBuffer allocate(int bytes) throws MemoryRefusedException {
            return request.allocate(bytes);
        }

        @Override
        public long resultCapacity(int index) {
            return request.resultCapacity(index);
        }

        @Override
        public void fail(AcceptStatus status) {
            request.fail(status);
        }

        @Override
        public void reject(AuthStatus status) {
            request.reject(status);
        }

        @Override
        public void drop() {
            request.drop();
        }
    }
}
