package io.verbena.nfs41.server.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.conformance.Proves;
import io.verbena.nfs41.server.internal.access.AccessRules;
import io.verbena.nfs41.server.internal.ops.Squash;
import io.verbena.nfs41.server.internal.security.ExportSecurity;
import io.verbena.nfs41.server.internal.security.KerberosSettings;
import io.verbena.nfs41.server.internal.security.SecurityKind;
import io.verbena.rpc.Credential;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ExportOptionsTest {
    /** A configuration with these values, and else the defaults. */
    private static ExportConfiguration configuration(Map<String, Object> values) {
        return (ExportConfiguration) Proxy.newProxyInstance(
                ExportConfiguration.class.getClassLoader(),
                new Class<?>[] {ExportConfiguration.class},
                (proxy, method, arguments) -> {
                    Object value = values.getOrDefault(method.getName(), method.getDefaultValue());
                    if (method.getReturnType() == int.class && value instanceof String) {
                        throw new IllegalArgumentException("as Declarative Services does: " + value);
                    }
                    return value;
                });
    }

    private static ExportOptions options(String address, String squash) {
        return ExportOptions.of(configuration(
                Map.of("verbena_export_name", "docs", "directory", "/", "address", address, "squash", squash)));
    }

    @Test
    @Proves({"V1-7-1", "ULB-5.3-1"})
    void shouldLeaveTheNameToBeLookedUpWhenListening() throws Exception {
        ExportOptions options = options("localhost", "");
        assertThat(options.listenOptions().local().isUnresolved()).isTrue();
        assertThat(options.resolved().listenOptions().local().getAddress().isLoopbackAddress())
                .isTrue();
        assertThat(options.resolved().listenOptions().local().getPort()).isEqualTo(20049);
    }

    @Test
    void shouldSquashRootUnlessNoneIsSaid() {
        assertThat(squash("localhost", "")).isEqualTo(Squash.Mode.ROOT);
        assertThat(squash("0.0.0.0", "")).isEqualTo(Squash.Mode.ROOT);
        assertThat(squash("localhost", "none")).isEqualTo(Squash.Mode.NONE);
        assertThat(squash("0.0.0.0", "all")).isEqualTo(Squash.Mode.ALL);
        assertThat(options("localhost", "nobody").complaint()).isEqualTo("'squash' is none, root or all, not 'nobody'");
    }

    private static Squash.Mode squash(String address, String configured) {
        return options(address, configured).settings().squash().mode();
    }

    private static ExportOptions with(String key, Object value) {
        return ExportOptions.of(configuration(Map.of("verbena_export_name", "docs", "directory", "/", key, value)));
    }

    private static ExportOptions open(String... allow) {
        return ExportOptions.of(configuration(
                Map.of("verbena_export_name", "docs", "directory", "/", "address", "0.0.0.0", "allow", allow)));
    }

    private static boolean admits(ExportOptions options, String address) {
        return options.settings().access().mayConnect(new InetSocketAddress(address, 40_000));
    }

    @Test
    void shouldAdmitThisHostAloneUnlessOthersAreNamed() throws Exception {
        ExportOptions byDefault = options("localhost", "");
        assertThat(byDefault.resolved().complaint()).isNull();
        assertThat(admits(byDefault, "127.0.0.9")).isTrue();
        assertThat(admits(byDefault, "::1")).isTrue();
        assertThat(admits(byDefault, "192.0.2.1")).isFalse();
        ExportOptions some = open("192.0.2.0/25, 2001:db8::/33", "198.51.100.7");
        assertThat(some.resolved().complaint()).isNull();
        assertThat(admits(some, "192.0.2.127")).isTrue();
        assertThat(admits(some, "192.0.2.128")).isFalse();
        assertThat(admits(some, "2001:db8:7fff::1")).isTrue();
        assertThat(admits(some, "2001:db8:8000::1")).isFalse();
        assertThat(admits(some, "198.51.100.7")).isTrue();
        assertThat(admits(some, "198.51.100.6")).isFalse();
        assertThat(admits(some, "127.0.0.1")).isFalse();
        assertThat(admits(open("any"), "203.0.113.1")).isTrue();
        assertThat(admits(open("any"), "2001:db8::1")).isTrue();
    }

    @Test
    void shouldNotListenForOtherHostsUnlessSomeAreNamed() {
        assertThatThrownBy(() -> open().resolved())
                .isInstanceOf(IOException.class)
                .hasMessage(
                        "address 0.0.0.0 can be reached from other hosts, and 'allow' does not say which of them may"
                                + " connect: set it to ADDRESS/BITS, as in 192.0.2.0/24, or to any (nfs:export"
                                + " --allow)");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "example.com",
                "192.0.2",
                "192.0.2.300",
                "192.0.2.0/33",
                "192.0.2.0/-1",
                "2001:db8::/129",
                "fe80::1%eth0"
            })
    void shouldSayWhichHostMakesNoSense(String host) {
        assertThat(open(host).complaint()).startsWith("'allow': '" + host + "'");
        assertThat(admits(open(host), "192.0.2.1")).isFalse();
    }

    @Test
    void shouldAdmitThePortsThatAreRootsWhereItIsSecure() {
        ExportOptions secure = with("secure", "on");
        assertThat(admits(secure, "127.0.0.1")).isFalse();
        assertThat(secure.settings().access().mayConnect(new InetSocketAddress(InetAddress.getLoopbackAddress(), 1023)))
                .isTrue();
        assertThat(with("secure", "yes").complaint()).isEqualTo("'secure' is on or off, not 'yes'");
    }

    @Test
    void shouldTakeRequestsOfTheUsersThatAreNamed() {
        AccessRules some = with("allowUser", new String[] {"root,1000", "4294967294"})
                .settings()
                .access();
        assertThat(some.mayCall(new Credential.Sys(0, "any", 0, 7, List.of()))).isTrue();
        assertThat(some.mayCall(new Credential.Sys(0, "any", 1000, 7, List.of())))
                .isTrue();
        assertThat(some.mayCall(new Credential.Sys(0, "any", -2, 7, List.of()))).isTrue();
        assertThat(some.mayCall(new Credential.Sys(0, "any", 1001, 0, List.of())))
                .isFalse();
        assertThat(some.mayCall(Credential.none())).isFalse();
        assertThat(options("localhost", "").settings().access().mayCall(Credential.none()))
                .isTrue();
        assertThat(with("allowUser", new String[] {"no such user"}).complaint()).startsWith("'allowUser': 'no'");
        assertThat(with("allowUser", new String[] {"4294967296"}).complaint())
                .isEqualTo("'allowUser': '4294967296' is no uid: it is at most 4294967295");
    }

    @Test
    void shouldTakeTheKindsOfSecurityInTheirOrder() throws Exception {
        assertThat(options("localhost", "").settings().security()).isEqualTo(ExportSecurity.SYS);
        assertThat(options("localhost", "").kerberos()).isNull();
        ExportOptions all = with("sec", "krb5p:krb5i: krb5:sys:sys");
        assertThat(all.complaint()).isNull();
        assertThat(all.settings().security().kinds())
                .containsExactly(SecurityKind.KRB5P, SecurityKind.KRB5I, SecurityKind.KRB5, SecurityKind.SYS);
        assertThat(all.kerberos().keytab()).isEqualTo(KerberosSettings.defaultKeytab());
        assertThat(all.kerberos().principal()).isEmpty();
        for (String wrong : List.of("krb6", "krb5,sys", "sys:", ":", "KRB5")) {
            assertThat(with("sec", wrong).complaint())
                    .isEqualTo("'sec' is sys, krb5, krb5i and krb5p, those that are allowed with colons between them,"
                            + " not '" + wrong + "'");
        }
    }

    @Test
    void shouldTakeTheServersKeysAndTheUsersOfPrincipals() throws Exception {
        ExportOptions options = ExportOptions.of(configuration(Map.of(
                "verbena_export_name",
                "docs",
                "directory",
                "/",
                "sec",
                "krb5",
                "keytab",
                "/keys",
                "principal",
                "nfs/host@EXAMPLE.ORG",
                "principals",
                "/no/such/file",
                "domain",
                "example.org",
                "gssPort",
                2050)));
        assertThat(options.complaint()).isNull();
        assertThat(options.kerberos())
                .isEqualTo(new KerberosSettings(
                        Path.of("/keys"),
                        Optional.of("nfs/host@EXAMPLE.ORG"),
                        Optional.of(Path.of("/no/such/file")),
                        2050));
        assertThat(options.settings().security().domain()).isEqualTo("example.org");
        assertThatThrownBy(options::resolved).hasMessage("'principals': there is no file /no/such/file");
        assertThat(with("principal", "nfs").complaint())
                .isEqualTo("'principal' is SERVICE/HOST or SERVICE/HOST@REALM, as in nfs/host.example.org, not 'nfs'");
        assertThat(with("domain", "a@b").complaint()).isEqualTo("'domain' is a name such as example.org, not 'a@b'");
    }

    @Test
    void shouldTakeNoSetIdBitsUnlessThatIsTurnedOff() {
        assertThat(options("localhost", "").settings().setId()).isFalse();
        assertThat(with("nosuid", "off").settings().setId()).isTrue();
        assertThat(with("nosuid", "no").complaint()).isEqualTo("'nosuid' is on or off, not 'no'");
    }

    @Test
    void shouldHandTheProviderDown() {
        ExportOptions options = ExportOptions.of(
                configuration(Map.of("verbena_export_name", "docs", "directory", "/", "provider", "native")));
        assertThat(options.listenOptions().transport()).containsEntry("provider", "native");
        assertThat(options("localhost", "").listenOptions().transport()).containsEntry("provider", "auto");
    }

    private static ExportOptions delegating(String value) {
        return ExportOptions.of(
                configuration(Map.of("verbena_export_name", "docs", "directory", "/", "delegations", value)));
    }

    @Test
    void shouldDelegateUnlessThatIsTurnedOff() {
        assertThat(options("localhost", "").settings().delegations()).isTrue();
        assertThat(delegating("off").settings().delegations()).isFalse();
        assertThat(delegating("maybe").complaint()).isEqualTo("'delegations' is on or off, not 'maybe'");
    }

    private static ExportOptions syncing(String value) {
        return ExportOptions.of(configuration(Map.of("verbena_export_name", "docs", "directory", "/", "sync", value)));
    }

    @Test
    void shouldBeSyncUnlessThatIsTurnedOff() {
        assertThat(options("localhost", "").settings().sync()).isTrue();
        assertThat(syncing("on").settings().sync()).isTrue();
        assertThat(syncing("off").settings().sync()).isFalse();
        assertThat(syncing("off").complaint()).isNull();
        assertThat(syncing("async").complaint()).isEqualTo("'sync' is on or off, not 'async'");
    }

    @ParameterizedTest
    @CsvSource({
        "port, 70000, 'is a number from 0 to 65535, not 70000'",
        "leaseTime, 4, 'is a number from 5 to 3600, not 4'",
        "graceTime, -1, 'is a number from 0 to 3600, not -1'",
        "maxConnections, 0, 'is a number from 1, not 0'",
        "credits, 0, 'is a number from 1 to 1024, not 0'",
    })
    void shouldSayWhichNumberMakesNoSense(String key, int number, String complaint) {
        ExportOptions options =
                ExportOptions.of(configuration(Map.of("verbena_export_name", "docs", "directory", "/", key, number)));
        assertThat(options.complaint()).isEqualTo("'" + key + "' " + complaint);
    }

    @Test
    void shouldSayWhichNumberIsNone() {
        ExportOptions options = ExportOptions.of(
                configuration(Map.of("verbena_export_name", "docs", "directory", "/", "anonuid", "nobody")));
        assertThat(options.complaint()).isEqualTo("'anonuid' is a number");
        assertThat(options("localhost", "").complaint()).isNull();
    }
}
