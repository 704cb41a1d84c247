package io.verbena.nfs41.server.internal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.nfs41.server.internal.security.KerberosSettings;
import io.verbena.rpc.RpcProgram;
import io.verbena.rpc.security.ProtectionService;
import io.verbena.rpc.security.RpcSecurity;
import io.verbena.rpc.security.SecurityServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.EnumSet;
import javax.security.auth.Subject;

/**
 * The server of an export by Kerberos, while the bundle that makes one is there. NFS tells itself which protection is
 * too weak (RFC 8881 section 2.6.3.1), so all are let through here. Thread safe; one thread at a time calls
 * {@link #renew}, {@link #guard}, {@link #listen} and {@link #close}.
 */
final class ExportKerberos implements AutoCloseable {
    private final KerberosSettings settings;

    @GuardedBy("this")
    private RpcSecurity present;

    @GuardedBy("this")
    private RpcSecurity madeBy;

    @GuardedBy("this")
    private SecurityServer server;

    @GuardedBy("this")
    private GuardedProgram program;

    /** The server that takes contexts over TCP. */
    @GuardedBy("this")
    private SecurityServer listens;

    ExportKerberos(KerberosSettings settings) {
        this.settings = settings;
    }

    /** Uses another service from the next {@link #renew} on. */
    synchronized void use(RpcSecurity other) {
        present = other;
    }

    /** Whether there is a service to make a server by. */
    synchronized boolean isPresent() {
        return present != null;
    }

    /** No longer uses a service, unless another one has replaced it. The next {@link #renew} closes what is left. */
    synchronized void drop(RpcSecurity gone) {
        if (present == gone) {
            present = null;
        }
        if (madeBy == gone) {
            detach();
        }
    }

    @GuardedBy("this")
    private void detach() {
        madeBy = null;
        if (program != null) {
            program.use(null);
        }
    }

    /**
     * Makes a server by the present service, unless there is one. Reads the keytab.
     *
     * @throws IOException with a message for people
     */
    void renew() throws IOException {
        RpcSecurity with;
        SecurityServer unused;
        synchronized (this) {
            if (present != null && present == madeBy) {
                return;
            }
            with = present;
            unused = server;
            server = null;
            detach();
        }
        if (unused != null) {
            unused.close();
        }
        if (with == null) {
            throw new IOException("'sec' asks for Kerberos, and its bundle is not there: install the feature"
                    + " verbena-rpcsec-gss (feature:install verbena-rpcsec-gss)");
        }
        String principal = settings.server();
        Subject keys = with.serverKeytab(settings.keytab(), principal);
        SecurityServer made =
                with.server(keys, KerberosSettings.service(principal), EnumSet.allOf(ProtectionService.class));
        if (!take(made, with)) {
            made.close();
        }
    }

    /** Goes on with a server; false if the service has gone meanwhile, or the export has ended. */
    private synchronized boolean take(SecurityServer made, RpcSecurity with) {
        if (present != with) {
            return false;
        }
        server = made;
        attach();
        madeBy = with;
        return true;
    }

    @GuardedBy("this")
    private void attach() {
        if (program != null && server != null) {
            program.use(server.protect(program.inner()));
        }
    }

    /**
     * Takes contexts over TCP too, once {@link #guard} was called. Linux's clients make theirs so.
     *
     * @param local the address that the export listens at
     * @throws IOException where the port is in use
     */
    void listen(InetAddress local) throws IOException {
        SecurityServer by;
        RpcProgram calls;
        synchronized (this) {
            if (settings.gssPort() == 0 || server == null || listens == server) {
                return;
            }
            by = server;
            calls = program;
        }
        by.listen(new InetSocketAddress(local, settings.gssPort()), calls);
        synchronized (this) {
            listens = by;
        }
    }

    /** Whether the export has listened with a service already. */
    synchronized boolean isGuarding() {
        return program != null;
    }

    int gssPort() {
        return settings.gssPort();
    }

    /** The program to listen for, the same one each time. */
    synchronized RpcProgram guard(RpcProgram inner) {
        if (program == null) {
            program = new GuardedProgram(inner);
            attach();
        }
        return program;
    }

    /** Forgets all contexts. */
    @Override
    public void close() {
        SecurityServer unused;
        synchronized (this) {
            present = null;
            unused = server;
            server = null;
            detach();
        }
        if (unused != null) {
            unused.close();
        }
    }
}
