package io.verbena.rpcsec.gss.internal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.rpc.RpcProgram;
import io.verbena.rpc.security.ProtectionService;
import io.verbena.rpcsec.gss.internal.tcp.ContextListener;
import io.verbena.runtime.Runtime;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.ietf.jgss.GSSException;

/** The listeners over TCP, one for each address, which servers share. Thread safe. */
final class SharedListeners {
    private final Runtime runtime;

    @GuardedBy("this")
    private final Map<InetSocketAddress, Shared> all = new HashMap<>();

    SharedListeners(Runtime runtime) {
        this.runtime = runtime;
    }

    /** @throws IOException where the port is in use, or serves another RPC program */
    synchronized void add(InetSocketAddress local, GssServer server, RpcProgram program) throws IOException {
        Shared shared = all.get(local);
        if (shared == null) {
            shared = new Shared();
            shared.members.add(new Member(server, program));
            shared.listener = new ContextListener(
                    local, new GssProgram(shared, new ContextProgram(program, shared::programs)), runtime);
            all.put(local, shared);
            return;
        }
        RpcProgram other = shared.members.get(0).program;
        if (other.program() != program.program()) {
            throw new IOException(local + " serves RPC program " + other.program() + " already");
        }
        shared.members.add(new Member(server, program));
    }

    /** Ends what a server listens at. */
    void remove(GssServer server) {
        List<ContextListener> unused = new ArrayList<>();
        synchronized (this) {
            for (Shared each : List.copyOf(all.values())) {
                each.members.removeIf(member -> member.server == server);
                if (each.members.isEmpty()) {
                    all.values().remove(each);
                    unused.add(each.listener);
                }
            }
        }
        unused.forEach(ContextListener::close);
    }

    /** A server, and the program that its callers call elsewhere. */
    private record Member(GssServer server, RpcProgram program) {}

    /** The servers of an address: the caller's token tells which of them it is for. */
    private static final class Shared implements Acceptor {
        final List<Member> members = new CopyOnWriteArrayList<>();
        ContextListener listener; // set before the first server is added

        List<RpcProgram> programs() {
            return members.stream().map(Member::program).toList();
        }

        @Override
        public boolean later(Runnable making) {
            return members.stream().anyMatch(each -> each.server.later(making));
        }

        @Override
        public Accepted accept(byte[] token) throws GSSException {
            GSSException failure = null;
            for (Member each : members) {
                try {
                    return each.server.accept(token);
                } catch (GSSException e) {
                    failure = failure == null ? e : failure;
                }
            }
            throw failure == null ? new GSSException(GSSException.UNAVAILABLE) : failure;
        }

        @Override
        public AcceptorContext find(ByteBuffer handle) {
            for (Member each : members) {
                AcceptorContext found = each.server.find(handle);
                if (found != null) {
                    return found;
                }
            }
            return null;
        }

        @Override
        public void remove(AcceptorContext context) {
            members.forEach(each -> each.server.remove(context));
        }

        @Override
        public boolean allows(ProtectionService service) {
            return true; // procedure 0 alone is served
        }
    }
}
