package io.verbena.rpcsec.gss.internal;

import io.verbena.rpc.security.ProtectionService;
import io.verbena.rpc.security.RpcSecurity;
import io.verbena.rpc.security.SecurityClient;
import io.verbena.rpc.security.SecurityServer;
import io.verbena.rpc.security.SecurityUnavailableException;
import io.verbena.rpc.security.UserLogin;
import io.verbena.runtime.Closing;
import io.verbena.runtime.Runtime;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import javax.security.auth.Subject;
import org.ietf.jgss.GSSException;
import org.ietf.jgss.Oid;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** RPCSEC_GSS with Kerberos as a service. */
@Component(property = RpcSecurity.FLAVOR + ":Integer=6")
public final class GssSecurity implements RpcSecurity {
    /** Kerberos Version 5 (RFC 1964 section 1). */
    static final Oid KERBEROS = oid("1.2.840.113554.1.2.2");

    private static final Logger LOG = LoggerFactory.getLogger(GssSecurity.class);

    /** How long the end waits; a key distribution centre may be silent. */
    private static final Duration END = Duration.ofSeconds(5);

    private final Runtime runtime;
    private final AcceptorContexts contexts = new AcceptorContexts();
    private final SharedListeners listeners;
    private final PendingContexts pending;
    private final Set<GssServer> servers = ConcurrentHashMap.newKeySet();

    @Activate
    public GssSecurity(@Reference Runtime runtime) {
        this.runtime = runtime;
        this.listeners = new SharedListeners(runtime);
        this.pending = new PendingContexts(runtime);
    }

    private static Oid oid(String text) {
        try {
            return new Oid(text);
        } catch (GSSException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public Subject ticketCache(Path cache) throws SecurityUnavailableException {
        return KerberosLogin.ticketCache(cache);
    }

    @Override
    public Subject keytab(Path keytab, String principal) throws SecurityUnavailableException {
        return KerberosLogin.keytab(keytab, principal, true);
    }

    @Override
    public Subject serverKeytab(Path keytab, String principal) throws SecurityUnavailableException {
        return KerberosLogin.keytab(keytab, principal, false);
    }

    @Override
    public SecurityClient client(UserLogin user, String service, ProtectionService protection) {
        return new GssClient(user, service, protection, pending, runtime);
    }

    @Override
    public SecurityServer server(Subject server, String service, Set<ProtectionService> allowed) throws IOException {
        GssServer made = new GssServer(server, service, allowed, contexts, listeners, servers::remove, runtime);
        servers.add(made);
        return made;
    }

    /** Ends the servers that those who use them have not ended yet, and waits for the contexts of clients. */
    @Deactivate
    void deactivate() {
        List.copyOf(servers).forEach(GssServer::close);
        long deadline = runtime.nanoTime() + END.toNanos();
        if (!Closing.uninterruptibly(() -> pending.awaitNone(deadline - runtime.nanoTime()))) {
            LOG.warn("a security context is still being made: no key distribution centre or server answers");
        }
    }
}
