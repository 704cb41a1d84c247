package io.verbena.nfs41.client.internal.security;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.nfs41.Compound;
import io.verbena.nfs41.client.internal.util.MountSettings;
import io.verbena.nfs41.client.internal.util.SecurityKind;
import io.verbena.nfs41.client.internal.util.Uninterruptible;
import io.verbena.rpc.AuthStatus;
import io.verbena.rpc.Credential;
import io.verbena.rpc.RpcCall;
import io.verbena.rpc.RpcConnection;
import io.verbena.rpc.RpcRejectedException;
import io.verbena.rpc.security.ProtectionService;
import io.verbena.rpc.security.RpcSecurity;
import io.verbena.rpc.security.SecurityClient;
import io.verbena.rpc.security.SecurityUnavailableException;
import io.verbena.runtime.Runtime;
import io.verbena.xdr.XdrWriter;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.security.Principal;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.regex.Pattern;
import javax.security.auth.Subject;

/**
 * Who makes the calls of a mount, and what of them is protected. Where the option {@code sec} says nothing, calls begin
 * by AUTH_SYS, and go on by what the server asks for. Thread safe.
 */
public final class MountSecurity implements AutoCloseable {
    /** An address of IPv4. */
    private static final Pattern NUMBER = Pattern.compile("[0-9.]+");

    private static final Duration IDLE = Duration.ofSeconds(5);

    private final MountSettings settings;
    private final SecuritySource services;
    private final Subject given;
    private final Runtime runtime;
    private volatile SecurityKind kind;
    private volatile Clients present;
    /** The principal of the first ticket cache; empty before. */
    private volatile String user = "";

    @GuardedBy("this")
    private CompletableFuture<Void> pending;

    /**
     * The thread that makes contexts; null before the first. The mount's workers wait for contexts themselves, so that
     * none of them might be free.
     */
    @GuardedBy("this")
    private ExecutorService thread;

    @GuardedBy("this")
    private boolean closed;

    /**
     * The clients of one server, by one service.
     *
     * @param kind what they protect
     * @param data of all requests
     * @param state of the requests that make and end sessions, which have integrity at least (RFC 8881 section
     *     18.35.3); the same where all requests have
     */
    private record Clients(RpcSecurity by, SecurityKind kind, String host, SecurityClient data, SecurityClient state) {
        boolean areEstablished() {
            return data.isEstablished() && state.isEstablished();
        }

        void close() {
            data.close();
            if (state != data) {
                state.close();
            }
        }
    }

    /**
     * @param services makes the clients
     * @param given the user, or null for the one that the options name
     */
    public MountSecurity(MountSettings settings, SecuritySource services, Subject given, Runtime runtime) {
        this.settings = settings;
        this.services = services;
        this.given = given;
        this.runtime = runtime;
        this.kind = settings.security().orElse(startOf(settings));
    }

    private static SecurityKind startOf(MountSettings settings) {
        return settings.credential() instanceof Credential.Sys ? SecurityKind.SYS : SecurityKind.NONE;
    }

    /** What the calls are made by now. */
    public SecurityKind kind() {
        return kind;
    }

    /** The calls are made by that from now on. */
    public void use(SecurityKind chosen) {
        kind = chosen;
        drop();
    }

    /**
     * Tells whether that can be used: whether there is a service that makes contexts, and a user with credentials.
     * Blocks.
     *
     * @throws IOException telling why not
     */
    public void require(SecurityKind wanted) throws IOException {
        if (wanted.isProtected()) {
            RpcSecurity service = services.present();
            if (service == null) {
                throw new SecurityUnavailableException(
                        "Kerberos is not there: install feature verbena-rpcsec-gss", null);
            }
            Subject unused = login(service);
        }
    }

    /** A call of COMPOUND. */
    public RpcCall newCall(XdrWriter writer) {
        SecurityKind by = kind;
        return newCall(writer, by, by.protection(), false);
    }

    /** As {@link #newCall}, of a request that makes or ends a session. */
    public RpcCall newStateCall(XdrWriter writer) {
        SecurityKind by = kind;
        return newCall(writer, by, by.isProtected() ? stateProtection(by) : null, true);
    }

    private RpcCall newCall(XdrWriter writer, SecurityKind by, ProtectionService service, boolean ofState) {
        if (!by.isProtected()) {
            Credential credential = by == SecurityKind.NONE ? Credential.none() : settings.credential();
            return new RpcCall(writer, Compound.PROGRAM, Compound.VERSION, Compound.PROC_COMPOUND, credential);
        }
        return new RpcCall(
                writer,
                Compound.PROGRAM,
                Compound.VERSION,
                Compound.PROC_COMPOUND,
                (program, version, procedure) ->
                        new RenewedProtection(() -> client(by, ofState), service, program, version, procedure));
    }

    private static ProtectionService stateProtection(SecurityKind of) {
        return of == SecurityKind.KRB5P ? ProtectionService.PRIVACY : ProtectionService.INTEGRITY;
    }

    private SecurityClient client(SecurityKind wanted, boolean ofState) {
        Clients now = present;
        if (now == null || now.kind != wanted) {
            return null;
        }
        return ofState ? now.state : now.data;
    }

    /** Whether calls to that server can be made at once. */
    public boolean isReady(String host) {
        SecurityKind wanted = kind;
        if (!wanted.isProtected()) {
            return true;
        }
        Clients now = present;
        return now != null
                && now.kind == wanted
                && now.host.equals(host)
                && services.isPresent(now.by)
                && now.areEstablished();
    }

    /**
     * Makes the security contexts with that server, on a thread of their own, for all callers together.
     *
     * @param by carries the calls for the contexts
     */
    public CompletableFuture<Void> ready(String host, RpcConnection by) {
        CompletableFuture<Void> made;
        synchronized (this) {
            if (pending != null) {
                return pending;
            }
            made = new CompletableFuture<>();
            pending = made;
        }
        try {
            thread().execute(() -> establish(host, by, made));
        } catch (Throwable e) { // for example no thread could be made
            finish(made, e instanceof RejectedExecutionException ? ended() : e);
        }
        return made;
    }

    private synchronized ExecutorService thread() {
        if (closed) {
            throw new RejectedExecutionException("the mount has ended");
        }
        if (thread == null) {
            thread = runtime.newExecutor("verbena-nfs-" + settings.name() + "-security", 1, IDLE);
        }
        return thread;
    }

    private static SecurityUnavailableException ended() {
        return new SecurityUnavailableException("the file system has been unmounted", null);
    }

    private void establish(String host, RpcConnection by, CompletableFuture<Void> made) {
        Throwable failure = null;
        Clients clients = null;
        try {
            clients = clients(host);
            Duration limit = settings.callTimeout();
            clients.data.establish(by, Compound.PROGRAM, Compound.VERSION, limit);
            if (clients.state != clients.data) {
                clients.state.establish(by, Compound.PROGRAM, Compound.VERSION, limit);
            }
        } catch (Throwable e) { // an Error too: requests wait
            failure = e;
        }
        if (failure != null && clients != null && !services.isPresent(clients.by)) {
            // the bundle goes, and its classes: what fails by that says nothing
            failure = SecurityUnavailableException.passing("RPCSEC_GSS is being replaced", failure);
        }
        finish(made, failure);
    }

    private void finish(CompletableFuture<Void> made, Throwable failure) {
        synchronized (this) {
            pending = null;
        }
        if (failure == null) {
            made.complete(null);
        } else {
            made.completeExceptionally(failure);
        }
    }

    private Clients clients(String host) throws IOException {
        RpcSecurity service = services.await(settings.swapTimeout());
        Clients now = present;
        SecurityKind by = kind;
        if (now != null && now.by == service && now.kind == by && now.host.equals(host)) {
            return now;
        }
        String name = serviceName(host);
        SecurityClient data = service.client(() -> login(service), name, by.protection());
        SecurityClient state = by.protection() == stateProtection(by)
                ? data
                : service.client(() -> login(service), name, stateProtection(by));
        Clients made = new Clients(service, by, host, data, state);
        Clients old;
        boolean isLate;
        synchronized (this) {
            isLate = closed;
            old = present;
            present = isLate ? null : made;
        }
        if (old != null) {
            old.close();
        }
        if (isLate) {
            made.close();
            throw ended();
        }
        if (!services.isPresent(service)) { // it went meanwhile, and nobody else drops what was made by it
            serviceGone(service);
        }
        return made;
    }

    /** The server's service (RFC 8881 section 2.2.1.1.1.4): Kerberos knows hosts by names. */
    private static String serviceName(String host) throws IOException {
        boolean isNumber = host.indexOf(':') >= 0 || NUMBER.matcher(host).matches();
        if (!isNumber) {
            return "nfs@" + host;
        }
        InetAddress address = InetAddress.getByName(host); // which asks nobody
        String name = address.getCanonicalHostName();
        if (name.equals(address.getHostAddress())) {
            throw new SecurityUnavailableException(
                    "no name of " + host + " is known, and Kerberos knows hosts by names: mount by the server's name",
                    null);
        }
        return "nfs@" + name;
    }

    private Subject login(RpcSecurity service) throws SecurityUnavailableException {
        if (given != null) {
            return given;
        }
        String keytab = settings.keytab();
        if (!keytab.isEmpty()) {
            return service.keytab(Path.of(keytab), settings.principal());
        }
        String cache = settings.ticketCache();
        Subject found = service.ticketCache(cache.isEmpty() ? null : Path.of(cache));
        requireSameUser(found);
        return found;
    }

    /** The mount's state is its user's: another one may have run kinit meanwhile. */
    private void requireSameUser(Subject found) throws SecurityUnavailableException {
        String name = found.getPrincipals().stream()
                .map(Principal::getName)
                .findFirst()
                .orElse("");
        String wanted = user.isEmpty() ? settings.principal() : user;
        boolean isSame =
                wanted.isEmpty() || name.equals(wanted) || (wanted.indexOf('@') < 0 && name.startsWith(wanted + "@"));
        if (!isSame) {
            throw new SecurityUnavailableException(
                    "the ticket cache has a ticket of " + name + ", and the mount is " + wanted + "'s: run kinit "
                            + wanted + ", or name another cache (ccache)",
                    null);
        }
        user = name;
    }

    /** Whether a call failed since the server does not know its security context: it has executed nothing. */
    public static boolean isContextLost(Throwable failure) {
        return failure instanceof RpcRejectedException rejected
                && (rejected.authStatus() == AuthStatus.RPCSEC_GSS_CREDPROBLEM
                        || rejected.authStatus() == AuthStatus.RPCSEC_GSS_CTXPROBLEM);
    }

    /** The service goes: no object of it is kept. */
    public void serviceGone(RpcSecurity gone) {
        Clients now = present;
        if (now != null && now.by == gone) {
            drop();
        }
    }

    /** The mount ends: has the server forget the contexts, where it answers in time. Blocks. */
    public void end(RpcConnection by, Duration timeout) {
        Clients now = present;
        if (now != null) {
            now.data.end(by, Compound.PROGRAM, Compound.VERSION, timeout);
            if (now.state != now.data) {
                now.state.end(by, Compound.PROGRAM, Compound.VERSION, timeout);
            }
        }
    }

    private void drop() {
        Clients old;
        synchronized (this) {
            old = present;
            present = null;
        }
        if (old != null) {
            old.close();
        }
    }

    /** Makes no more contexts. {@link #awaitEnd} waits for the thread that makes one. */
    @Override
    public void close() {
        ExecutorService last;
        CompletableFuture<Void> waited;
        synchronized (this) {
            closed = true;
            last = thread;
            waited = pending;
        }
        if (waited != null) {
            waited.completeExceptionally(ended()); // before the interrupted thread tells less
        }
        if (last != null) {
            last.shutdownNow();
        }
        drop();
    }

    /**
     * Waits for the end of the thread after {@link #close}; a key distribution centre may be silent. Returns whether
     * the thread has ended. An interrupt does not shorten the wait.
     */
    public boolean awaitEnd(long nanos) {
        ExecutorService last;
        synchronized (this) {
            last = thread;
        }
        return last == null || Uninterruptible.await(runtime, nanos, left -> runtime.awaitEnd(last, left));
    }
}
