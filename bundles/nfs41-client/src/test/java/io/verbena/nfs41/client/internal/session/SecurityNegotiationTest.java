package io.verbena.nfs41.client.internal.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.nfs.MountOptions;
import io.verbena.nfs.NfsException;
import io.verbena.nfs41.Opaque;
import io.verbena.nfs41.SecurityFlavor;
import io.verbena.nfs41.client.internal.security.MountSecurity;
import io.verbena.nfs41.client.internal.security.SecuritySource;
import io.verbena.nfs41.client.internal.util.MountSettings;
import io.verbena.nfs41.client.internal.util.SecurityKind;
import io.verbena.rpc.security.RpcSecurity;
import io.verbena.runtime.SystemRuntime;
import java.lang.reflect.Proxy;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import javax.security.auth.Subject;
import org.junit.jupiter.api.Test;

/** What a mount without the option {@code sec} goes on by. */
class SecurityNegotiationTest {
    private static final SystemRuntime RUNTIME = new SystemRuntime();
    private static final Opaque KERBEROS = Opaque.of(HexFormat.of().parseHex("2a864886f712010202"));

    private final MountSettings settings =
            MountSettings.of("m", "server.example", "/", MountOptions.parse("keytab=/k,principal=a@B"));

    private static SecurityFlavor kerberos(int service) {
        return new SecurityFlavor(
                SecurityFlavor.RPCSEC_GSS, Optional.of(new SecurityFlavor.GssInfo(KERBEROS, 0, service)));
    }

    private SecurityKind choose(SecurityKind before, SecurityFlavor... offered) throws Exception {
        RpcSecurity service = (RpcSecurity) Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {RpcSecurity.class},
                (proxy, method, arguments) -> method.getName().equals("keytab") ? new Subject() : null);
        try (MountSecurity security =
                new MountSecurity(settings, new SecuritySource(service, RUNTIME), null, RUNTIME)) {
            security.use(before);
            return new SecurityNegotiation(settings, security).choose(new WrongSecurityException(List.of(offered)));
        }
    }

    @Test
    void shouldTakeTheFirstThatTheServerLikes() throws Exception {
        assertThat(choose(SecurityKind.SYS, kerberos(2), kerberos(3))).isEqualTo(SecurityKind.KRB5I);
        assertThat(choose(SecurityKind.KRB5, SecurityFlavor.of(SecurityFlavor.AUTH_SYS), kerberos(3)))
                .isEqualTo(SecurityKind.KRB5P);
    }

    @Test
    void shouldNeverTakeLessThanBefore() {
        assertThatThrownBy(() -> choose(
                        SecurityKind.KRB5I,
                        SecurityFlavor.of(SecurityFlavor.AUTH_SYS),
                        SecurityFlavor.of(SecurityFlavor.AUTH_NONE),
                        kerberos(1)))
                .isInstanceOf(NfsException.class)
                .hasMessageContaining("sys: it is less than the mount has had")
                .hasMessageContaining("none: it is less")
                .hasMessageContaining("krb5: it is less");
    }
}
