package io.verbena.rpcsec.gss.internal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.rpc.OpaqueAuth;
import io.verbena.rpc.RpcProgram;
import io.verbena.rpc.security.ProtectionService;
import io.verbena.rpc.security.SecurityServer;
import io.verbena.rpc.security.SecurityUnavailableException;
import io.verbena.runtime.Closing;
import io.verbena.runtime.Runtime;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.security.PrivilegedActionException;
import java.security.PrivilegedExceptionAction;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import javax.security.auth.Subject;
import org.ietf.jgss.GSSContext;
import org.ietf.jgss.GSSCredential;
import org.ietf.jgss.GSSException;
import org.ietf.jgss.GSSManager;
import org.ietf.jgss.GSSName;

/** A server by RPCSEC_GSS, of one principal. Thread safe. */
final class GssServer implements SecurityServer, Acceptor {
    /** How many sequence numbers of a context are kept: more than a client has calls under way. */
    static final int WINDOW = 1024;

    private static final int HANDLE_OCTETS = 16;

    /** The threads that make contexts: the JDK's cache of replays is a file. */
    private static final int THREADS = 2;

    /** How many contexts may wait to be made; callers beyond that are refused, and try again. */
    static final int MOST_WAITING = 256;

    private static final Duration IDLE = Duration.ofSeconds(30);
    private static final Duration END = Duration.ofSeconds(5);

    private final Subject server;
    private final GSSCredential keys;
    private final Set<ProtectionService> allowed;
    private final Runtime runtime;
    private final AcceptorContexts contexts;
    private final SharedListeners listeners;
    private final String name;
    private final ExecutorService threads;
    private final AtomicInteger waiting = new AtomicInteger();
    private final Consumer<GssServer> ended;

    @GuardedBy("this")
    private boolean closed;

    /** @throws SecurityUnavailableException where the subject has no keys of the service */
    GssServer(
            Subject server,
            String service,
            Set<ProtectionService> allowed,
            AcceptorContexts contexts,
            SharedListeners listeners,
            Consumer<GssServer> ended,
            Runtime runtime)
            throws IOException {
        this.server = server;
        this.allowed = EnumSet.copyOf(allowed);
        this.contexts = contexts;
        this.listeners = listeners;
        this.ended = ended;
        this.runtime = runtime;
        try {
            this.keys = asServer(() -> {
                GSSManager manager = GSSManager.getInstance();
                GSSName name = manager.createName(service, GSSName.NT_HOSTBASED_SERVICE);
                return manager.createCredential(
                        name, GSSCredential.INDEFINITE_LIFETIME, GssSecurity.KERBEROS, GSSCredential.ACCEPT_ONLY);
            });
            this.name = keys.getName().toString();
        } catch (GSSException e) {
            throw new SecurityUnavailableException(
                    "there are no keys of " + service.replace('@', '/')
                            + ": give a keytab that has them (kadmin ktadd)",
                    e);
        }
        this.threads = runtime.newExecutor("rpcsec-gss", THREADS, IDLE);
        contexts.join(name);
    }

    @Override
    public boolean later(Runnable making) {
        if (waiting.incrementAndGet() > MOST_WAITING) {
            waiting.decrementAndGet();
            return false;
        }
        try {
            threads.execute(() -> {
                waiting.decrementAndGet();
                making.run();
            });
            return true;
        } catch (Throwable e) { // the server has ended, or there is no thread
            waiting.decrementAndGet();
            return false;
        }
    }

    @Override
    public RpcProgram protect(RpcProgram program) {
        return new GssProgram(this, program);
    }

    @Override
    public synchronized void listen(InetSocketAddress local, RpcProgram program) throws IOException {
        if (closed) { // with its bundle, perhaps: nobody would end the listener
            throw new IOException("RPCSEC_GSS is being replaced");
        }
        listeners.add(local, this, program);
    }

    AcceptorContexts contexts() {
        return contexts;
    }

    @Override
    public boolean allows(ProtectionService service) {
        return allowed.contains(service);
    }

    @Override
    public AcceptorContext find(ByteBuffer handle) {
        return contexts.find(handle, name, runtime.nanoTime());
    }

    @Override
    public void remove(AcceptorContext context) {
        contexts.remove(context);
    }

    @Override
    public Accepted accept(byte[] token) throws GSSException {
        return asServer(() -> {
            GSSContext made = GSSManager.getInstance().createContext(keys);
            byte[] answer = made.acceptSecContext(token, 0, token.length);
            if (!made.isEstablished()) {
                throw new GSSException(GSSException.FAILURE, 0, "a mechanism of several tokens");
            }
            Mechanism mechanism = new Mechanism(made);
            OpaqueAuth verifier = new OpaqueAuth(GssCredential.FLAVOR, mechanism.mic(WINDOW));
            return new Accepted(
                    keep(made, mechanism, token.length),
                    verifier,
                    ByteBuffer.wrap(answer == null ? new byte[0] : answer));
        });
    }

    private AcceptorContext keep(GSSContext made, Mechanism mechanism, int octets) throws GSSException {
        byte[] handle = new byte[HANDLE_OCTETS];
        runtime.random().nextBytes(handle);
        long now = runtime.nanoTime();
        long seconds = Math.min(Math.max(0, made.getLifetime()), TicketTimes.MOST_OF_SERVER.toSeconds());
        AcceptorContext kept = new AcceptorContext(
                ByteBuffer.wrap(handle).asReadOnlyBuffer(),
                name,
                mechanism,
                made.getSrcName().toString(),
                octets,
                now + TimeUnit.SECONDS.toNanos(seconds),
                WINDOW);
        contexts.add(kept, now);
        return kept;
    }

    private <T> T asServer(PrivilegedExceptionAction<T> action) throws GSSException {
        try {
            return Subject.doAs(server, action);
        } catch (PrivilegedActionException e) {
            throw (GSSException) e.getCause();
        }
    }

    /** A second thread waits until the first one is done. */
    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        listeners.remove(this);
        threads.shutdown();
        boolean unused = Closing.awaitEnd(runtime, threads, runtime.nanoTime() + END.toNanos());
        contexts.leave(name);
        ended.accept(this);
    }
}
