package io.verbena.nfs41.client.internal.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.nfs.MountOptions;
import io.verbena.nfs41.client.internal.util.MountSettings;
import io.verbena.nfs41.client.internal.util.SecurityKind;
import io.verbena.rpc.CallProtection;
import io.verbena.rpc.RpcConnection;
import io.verbena.rpc.security.ProtectionService;
import io.verbena.rpc.security.RpcSecurity;
import io.verbena.rpc.security.SecurityClient;
import io.verbena.rpc.security.SecurityServer;
import io.verbena.rpc.security.SecurityUnavailableException;
import io.verbena.rpc.security.UserLogin;
import io.verbena.runtime.SystemRuntime;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import javax.security.auth.Subject;
import javax.security.auth.kerberos.KerberosPrincipal;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class MountSecurityTest {
    private static final SystemRuntime RUNTIME = new SystemRuntime();
    private static final String HOST = "server.example";

    /** A service whose clients make contexts once they are let. */
    private static final class Fake implements RpcSecurity {
        private final List<String> events = new CopyOnWriteArrayList<>();
        private final CountDownLatch mayEstablish = new CountDownLatch(1);
        private volatile String ticketOf;
        private volatile Runnable making = () -> {};

        Fake willing() {
            mayEstablish.countDown();
            return this;
        }

        @Override
        public Subject ticketCache(Path cache) throws SecurityUnavailableException {
            if (ticketOf == null) {
                throw new SecurityUnavailableException("no ticket", null);
            }
            return new Subject(true, Set.of(new KerberosPrincipal(ticketOf)), Set.of(), Set.of());
        }

        @Override
        public Subject keytab(Path keytab, String principal) {
            return new Subject();
        }

        @Override
        public Subject serverKeytab(Path keytab, String principal) {
            throw new UnsupportedOperationException();
        }

        @Override
        public SecurityServer server(Subject server, String service, Set<ProtectionService> allowed) {
            throw new UnsupportedOperationException();
        }

        @Override
        public SecurityClient client(UserLogin user, String service, ProtectionService protection) {
            events.add(service + " " + protection);
            return new Client(this, user);
        }
    }

    private static final class Client implements SecurityClient {
        private final Fake by;
        private final UserLogin user;
        private volatile boolean established;

        Client(Fake by, UserLogin user) {
            this.by = by;
            this.user = user;
        }

        @Override
        public void establish(RpcConnection over, int program, int version, Duration timeout)
                throws SecurityUnavailableException {
            try {
                by.mayEstablish.await();
            } catch (InterruptedException e) {
                throw new SecurityUnavailableException("interrupted", e);
            }
            Subject unused = user.login();
            by.making.run();
            by.events.add("established");
            established = true;
        }

        @Override
        public boolean isEstablished() {
            return established;
        }

        @Override
        public boolean isContextLost(Throwable failure) {
            return false;
        }

        @Override
        public void end(RpcConnection over, int program, int version, Duration timeout) {
            close();
        }

        @Override
        public void close() {
            by.events.add("closed");
            established = false;
        }

        @Override
        public CallProtection protect(int program, int version, int procedure) {
            throw new UnsupportedOperationException();
        }
    }

    private static MountSecurity of(String options, SecuritySource source) {
        MountSettings settings = MountSettings.of("m", HOST, "/", MountOptions.parse(options));
        return new MountSecurity(settings, source, null, RUNTIME);
    }

    private static final String KEYTAB = ",keytab=/k,principal=a@B";

    @Test
    void shouldMakeContextsOnceForAllWhoWait() throws Exception {
        Fake service = new Fake();
        try (MountSecurity security = of("sec=krb5" + KEYTAB, new SecuritySource(service, RUNTIME))) {
            assertThat(security.isReady(HOST)).isFalse();
            CompletableFuture<Void> first = security.ready(HOST, null);
            assertThat(security.ready(HOST, null)).isSameAs(first);
            service.willing();
            first.get(20, TimeUnit.SECONDS);
            assertThat(security.isReady(HOST)).isTrue();
            assertThat(security.isReady("another.example")).isFalse();
            // what makes and ends sessions has integrity at least
            assertThat(service.events)
                    .containsExactly(
                            "nfs@" + HOST + " NONE", "nfs@" + HOST + " INTEGRITY", "established", "established");
        }
        assertThat(service.events).endsWith("closed", "closed");
    }

    @Test
    void shouldGoOnByAServiceThatReplacesAnother() throws Exception {
        Fake first = new Fake().willing();
        Fake second = new Fake().willing();
        SecuritySource source = new SecuritySource(first, RUNTIME);
        try (MountSecurity security = of("sec=krb5p" + KEYTAB, source)) {
            security.ready(HOST, null).get(20, TimeUnit.SECONDS);
            source.unset(first);
            security.serviceGone(first);
            assertThat(first.events).containsExactly("nfs@" + HOST + " PRIVACY", "established", "closed");
            assertThat(security.isReady(HOST)).isFalse();
            CompletableFuture<Void> ready = security.ready(HOST, null);
            source.set(second);
            ready.get(20, TimeUnit.SECONDS);
            assertThat(security.isReady(HOST)).isTrue();
        }
    }

    @Test
    void shouldGoOnWhereAServiceFailsSinceItGoes() throws Exception {
        Fake service = new Fake().willing();
        SecuritySource source = new SecuritySource(service, RUNTIME);
        service.making = () -> {
            source.unset(service);
            throw new NoClassDefFoundError("its classes are gone");
        };
        try (MountSecurity security = of("sec=krb5p" + KEYTAB, source)) {
            assertThatThrownBy(() -> security.ready(HOST, null).get(20, TimeUnit.SECONDS))
                    .cause()
                    .isInstanceOfSatisfying(SecurityUnavailableException.class, e -> assertThat(e.isPassing())
                            .isTrue());
            source.set(new Fake().willing());
            security.ready(HOST, null).get(20, TimeUnit.SECONDS);
            assertThat(security.isReady(HOST)).isTrue();
        }
    }

    @Test
    void shouldTakeNoTicketOfAnotherUserThanTheFirst() throws Exception {
        Fake service = new Fake().willing();
        service.ticketOf = "alice@B";
        try (MountSecurity security = of("sec=krb5p", new SecuritySource(service, RUNTIME));
                MountSecurity named = of("sec=krb5p,principal=bob", new SecuritySource(service, RUNTIME))) {
            security.ready(HOST, null).get(20, TimeUnit.SECONDS);
            assertThatThrownBy(() -> named.ready(HOST, null).get(20, TimeUnit.SECONDS))
                    .hasMessageContaining("has a ticket of alice@B, and the mount is bob's: run kinit bob");
            service.ticketOf = "bob@B";
            named.ready(HOST, null).get(20, TimeUnit.SECONDS);
            security.serviceGone(service); // so that a context is made anew
            assertThatThrownBy(() -> security.ready(HOST, null).get(20, TimeUnit.SECONDS))
                    .hasMessageContaining("has a ticket of bob@B, and the mount is alice@B's: run kinit alice@B");
            service.ticketOf = "alice@B";
            security.ready(HOST, null).get(20, TimeUnit.SECONDS);
        }
    }

    @Test
    void shouldMakeOtherContextsForAnotherKind() throws Exception {
        Fake service = new Fake().willing();
        try (MountSecurity security = of("keytab=/k,principal=a@B", new SecuritySource(service, RUNTIME))) {
            assertThat(security.isReady(HOST)).as("AUTH_SYS").isTrue();
            security.use(SecurityKind.KRB5);
            security.ready(HOST, null).get(20, TimeUnit.SECONDS);
            assertThat(security.isReady(HOST)).isTrue();
            security.use(SecurityKind.KRB5P);
            assertThat(security.isReady(HOST)).isFalse();
            security.ready(HOST, null).get(20, TimeUnit.SECONDS);
            assertThat(security.isReady(HOST)).isTrue();
            assertThat(service.events).contains("nfs@" + HOST + " PRIVACY");
        }
    }

    @Test
    void shouldFailAllWhoWaitAtTheEnd() {
        MountSecurity security = of("sec=krb5i" + KEYTAB, new SecuritySource(new Fake(), RUNTIME));
        CompletableFuture<Void> waiting = security.ready(HOST, null);
        security.close();
        assertThatThrownBy(() -> waiting.get(20, TimeUnit.SECONDS))
                .isInstanceOf(ExecutionException.class)
                .hasRootCauseInstanceOf(SecurityUnavailableException.class);
        assertThatThrownBy(() -> security.ready(HOST, null).get(20, TimeUnit.SECONDS))
                .hasMessageContaining("unmounted");
    }

    @Test
    void shouldTellWhyThereIsNoContext() {
        try (MountSecurity security = of("sec=krb5", new SecuritySource(new Fake().willing(), RUNTIME))) {
            assertThatThrownBy(() -> security.ready(HOST, null).get(20, TimeUnit.SECONDS))
                    .hasMessageContaining("no ticket");
            assertThatThrownBy(() -> security.require(SecurityKind.KRB5P)).hasMessageContaining("no ticket");
        }
        try (MountSecurity security = of("", new SecuritySource(null, RUNTIME))) {
            assertThat(security.isReady(HOST)).isTrue(); // by AUTH_SYS
            assertThatThrownBy(() -> security.require(SecurityKind.KRB5P))
                    .hasMessageContaining("install feature verbena-rpcsec-gss");
        }
    }
}
