package io.verbena.itests.linuxpeer;

import io.verbena.rpc.security.ProtectionService;
import io.verbena.rpc.security.RpcSecurity;
import io.verbena.rpc.security.SecurityClient;
import io.verbena.rpc.security.SecurityServer;
import io.verbena.rpc.security.SecurityUnavailableException;
import io.verbena.rpc.security.UserLogin;
import io.verbena.rpcsec.gss.internal.GssSecurity;
import io.verbena.runtime.SystemRuntime;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import javax.security.auth.Subject;

/** RPCSEC_GSS that counts the logins by keytabs: one for each security context. */
final class CountedSecurity implements RpcSecurity {
    private static final int BOUND_SECONDS = 90;

    private final RpcSecurity inner = new GssSecurity(new SystemRuntime());
    private final Semaphore logins = new Semaphore(0);

    /** Counts anew. */
    void restart() {
        int unused = logins.drainPermits();
    }

    /** Waits until so many more logins were made. */
    void await(int more) throws InterruptedException {
        if (!logins.tryAcquire(more, BOUND_SECONDS, TimeUnit.SECONDS)) {
            throw new AssertionError(logins.availablePermits() + " logins of " + more + " in " + BOUND_SECONDS + " s");
        }
    }

    @Override
    public Subject ticketCache(Path cache) throws SecurityUnavailableException {
        return inner.ticketCache(cache);
    }

    @Override
    public Subject keytab(Path keytab, String principal) throws SecurityUnavailableException {
        Subject user = inner.keytab(keytab, principal);
        logins.release();
        return user;
    }

    @Override
    public Subject serverKeytab(Path keytab, String principal) throws SecurityUnavailableException {
        return inner.serverKeytab(keytab, principal);
    }

    @Override
    public SecurityClient client(UserLogin user, String service, ProtectionService protection) {
        return inner.client(user, service, protection);
    }

    @Override
    public SecurityServer server(Subject server, String service, Set<ProtectionService> allowed) throws IOException {
        return inner.server(server, service, allowed);
    }
}
