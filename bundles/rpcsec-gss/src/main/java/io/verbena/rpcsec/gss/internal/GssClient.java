package io.verbena.rpcsec.gss.internal;

import io.verbena.rpc.AuthStatus;
import io.verbena.rpc.CallProtection;
import io.verbena.rpc.PeerProtocolException;
import io.verbena.rpc.RpcCall;
import io.verbena.rpc.RpcConnection;
import io.verbena.rpc.RpcRejectedException;
import io.verbena.rpc.security.ProtectionService;
import io.verbena.rpc.security.SecurityClient;
import io.verbena.rpc.security.SecurityUnavailableException;
import io.verbena.rpc.security.UserLogin;
import io.verbena.runtime.Runtime;
import io.verbena.xdr.XdrWriter;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.security.PrivilegedActionException;
import java.security.PrivilegedExceptionAction;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import javax.security.auth.Subject;
import org.ietf.jgss.GSSContext;
import org.ietf.jgss.GSSException;
import org.ietf.jgss.GSSManager;
import org.ietf.jgss.GSSName;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The calls of one user to one server by RPCSEC_GSS. Thread safe. */
final class GssClient implements SecurityClient {
    /** How long before its end a context is used no more, for the calls that are under way then. */
    private static final int MARGIN_SECONDS = 60;

    private static final Logger LOG = LoggerFactory.getLogger(GssClient.class);
    private static final int MAX_ROUNDS = 8;
    private static final int COMPLETE = 0;
    private static final int CONTINUE_NEEDED = 1;

    private final UserLogin user;
    private final String service;
    private final ProtectionService protection;
    private final PendingContexts pending;
    private final Runtime runtime;
    private final AtomicReference<InitiatorContext> context = new AtomicReference<>();

    /** Held by the thread that makes a context. */
    private final Lock establishing = new ReentrantLock();

    private volatile boolean closed;

    GssClient(UserLogin user, String service, ProtectionService protection, PendingContexts pending, Runtime runtime) {
        this.user = user;
        this.service = service;
        this.protection = protection;
        this.pending = pending;
        this.runtime = runtime;
    }

    ProtectionService service() {
        return protection;
    }

    /** The present context, or null. */
    InitiatorContext context() {
        InitiatorContext present = context.get();
        return present == null || present.hasEnded(runtime.nanoTime()) ? null : present;
    }

    /** That context is of no use any more. */
    void lost(InitiatorContext of) {
        context.compareAndSet(of, null);
    }

    @Override
    public boolean isEstablished() {
        return context() != null;
    }

    @Override
    public CallProtection protect(int program, int version, int procedure) {
        return new DataProtection(this, GssCredential.DATA, program, version, procedure);
    }

    @Override
    public void establish(RpcConnection by, int program, int version, Duration timeout) throws IOException {
        pending.begin();
        try {
            establish(by, program, version, runtime.nanoTime() + timeout.toNanos());
        } finally {
            pending.end();
        }
    }

    private void establish(RpcConnection by, int program, int version, long deadline) throws IOException {
        establishing.lock();
        try {
            if (context() == null) {
                if (closed) {
                    throw ended();
                }
                context.set(make(by, program, version, deadline));
                if (closed) { // meanwhile, by a thread that does not wait for a key distribution centre
                    context.set(null);
                    throw ended();
                }
            }
        } finally {
            establishing.unlock();
        }
    }

    /** Passing, since a mount goes on by another client where the bundle is replaced. */
    private static SecurityUnavailableException ended() {
        return SecurityUnavailableException.passing("the mount has ended, or goes on by other contexts", null);
    }

    private InitiatorContext make(RpcConnection by, int program, int version, long deadline) throws IOException {
        Subject subject = user.login();
        try {
            GSSContext made = as(subject, this::begin);
            return exchange(subject, made, by, program, version, deadline);
        } catch (GSSException e) {
            throw KerberosFailures.of(service, subject, e);
        } catch (RpcRejectedException e) {
            throw refused(e);
        }
    }

    /** What a server means that takes no call for a context. */
    private IOException refused(RpcRejectedException why) {
        return switch (why.authStatus()) {
            case AUTH_OK -> why;
            case AUTH_FAILED ->
                SecurityUnavailableException.passing(service + ": the server makes no security context now", why);
            default ->
                new SecurityUnavailableException(
                        service + ": the server takes no Kerberos (" + why.authStatus()
                                + "): mount with sec=sys, or have it set up there",
                        why);
        };
    }

    private GSSContext begin() throws GSSException {
        GSSManager manager = GSSManager.getInstance();
        GSSName name = manager.createName(service, GSSName.NT_HOSTBASED_SERVICE);
        GSSContext made = manager.createContext(name, GssSecurity.KERBEROS, null, GSSContext.DEFAULT_LIFETIME);
        made.requestMutualAuth(true);
        made.requestReplayDet(false); // the sequence numbers of RPCSEC_GSS do that (RFC 2203 section 5.2.1)
        made.requestSequenceDet(false);
        made.requestInteg(true);
        made.requestConf(true);
        made.requestCredDeleg(false);
        return made;
    }

    private InitiatorContext exchange(
            Subject subject, GSSContext made, RpcConnection by, int program, int version, long deadline)
            throws IOException, GSSException {
        ByteBuffer handle = ByteBuffer.allocate(0);
        byte[] received = new byte[0];
        for (int round = 0; round < MAX_ROUNDS; round++) {
            byte[] input = received;
            byte[] token = as(subject, () -> made.initSecContext(input, 0, input.length));
            if (token == null) {
                throw new PeerProtocolException("the server goes on where its client is ready (RFC 2203 5.2.3)", null);
            }
            Duration left = Duration.ofNanos(Math.max(1, deadline - runtime.nanoTime()));
            ContextCall.Result result =
                    await(ContextCall.send(by, program, version, handle, protection, token, left), left);
            if (result.major() != COMPLETE && result.major() != CONTINUE_NEEDED) {
                throw KerberosFailures.ofServer(service, result.major(), result.minor());
            }
            received = result.token().array();
            handle = result.handle();
            if (result.major() == COMPLETE) {
                return complete(subject, made, result, received);
            }
        }
        throw new PeerProtocolException("the server's tokens have no end", null);
    }

    private InitiatorContext complete(Subject subject, GSSContext made, ContextCall.Result result, byte[] last)
            throws IOException, GSSException {
        if (!made.isEstablished() && last.length > 0) {
            byte[] unexpected = as(subject, () -> made.initSecContext(last, 0, last.length));
            if (unexpected != null && unexpected.length > 0) {
                throw new PeerProtocolException("the server is ready too early (RFC 2203 5.2.3)", null);
            }
        }
        if (!made.isEstablished() || !made.getMutualAuthState() || !made.getIntegState()) {
            throw new SecurityUnavailableException(service + " has not proved who it is", null);
        }
        if (protection == ProtectionService.PRIVACY && !made.getConfState()) {
            throw new SecurityUnavailableException(service + " cannot encrypt, and krb5p takes no less", null);
        }
        if (result.verifier().flavor() != GssCredential.FLAVOR) {
            throw new PeerProtocolException("the server does not sign its window (RFC 2203 5.2.3.1)", null);
        }
        Mechanism mechanism = new Mechanism(made);
        mechanism.verify(result.verifier().octets(), result.window());
        long lifetime = TicketTimes.secondsLeft(subject, made, runtime.now());
        long seconds = Math.max(1, lifetime - Math.min(MARGIN_SECONDS, lifetime / 4));
        return new InitiatorContext(mechanism, result.handle(), runtime.nanoTime() + TimeUnit.SECONDS.toNanos(seconds));
    }

    private static <T> T as(Subject user, PrivilegedExceptionAction<T> action) throws GSSException {
        try {
            return Subject.doAs(user, action);
        } catch (PrivilegedActionException e) {
            throw (GSSException) e.getCause();
        }
    }

    private <T> T await(CompletableFuture<T> future, Duration limit) throws IOException {
        try {
            return runtime.await(future, limit.toNanos());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            InterruptedIOException interrupted = new InterruptedIOException("interrupted while a context was made");
            interrupted.initCause(e);
            throw interrupted;
        } catch (TimeoutException e) {
            throw SecurityUnavailableException.passing(service + " has not answered in time", e);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof IOException failure) {
                throw failure;
            }
            throw new IOException(e.getCause());
        }
    }

    @Override
    public boolean isContextLost(Throwable failure) {
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        return cause instanceof RpcRejectedException rejected
                && (rejected.authStatus() == AuthStatus.RPCSEC_GSS_CREDPROBLEM
                        || rejected.authStatus() == AuthStatus.RPCSEC_GSS_CTXPROBLEM);
    }

    @Override
    public void end(RpcConnection by, int program, int version, Duration timeout) {
        if (context() != null) {
            RpcCall call = new RpcCall(
                    new XdrWriter(),
                    program,
                    version,
                    ContextCall.NULL,
                    (number, of, what) -> new DataProtection(this, GssCredential.DESTROY, number, of, what));
            try {
                String unused = await(by.call(call.timeout(timeout), in -> "done"), timeout);
            } catch (IOException e) {
                LOG.debug("{}: the server keeps the security context for its time: {}", service, e.getMessage());
            }
        }
        close();
    }

    @Override
    public void close() {
        closed = true;
        context.set(null);
    }
}
