package io.verbena.nfs41.server.internal.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.rpc.Credential;
import io.verbena.rpc.OpaqueAuth;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KerberosSettingsTest {
    @TempDir
    Path temporary;

    @Test
    void shouldFindTheKeytabOfTheHost() {
        assertThat(KerberosSettings.keytab(null)).isEqualTo(Path.of("/etc/krb5.keytab"));
        assertThat(KerberosSettings.keytab("/some/keytab")).isEqualTo(Path.of("/some/keytab"));
        assertThat(KerberosSettings.keytab("FILE:/some/keytab")).isEqualTo(Path.of("/some/keytab"));
    }

    @Test
    void shouldNameTheServer() throws Exception {
        KerberosSettings byDefault = new KerberosSettings(Path.of("/k"), Optional.empty(), Optional.empty(), 0);
        assertThat(byDefault.server()).startsWith("nfs/").isLowerCase();
        assertThat(KerberosSettings.service("nfs/host.example.org@EXAMPLE.ORG")).isEqualTo("nfs@host.example.org");
        assertThat(KerberosSettings.service("nfs/host")).isEqualTo("nfs@host");
        assertThat(KerberosSettings.realm("nfs/host@EXAMPLE.ORG")).isEqualTo("EXAMPLE.ORG");
        assertThat(KerberosSettings.isServer("nfs/host")).isTrue();
        assertThat(KerberosSettings.isServer("nfs")).isFalse();
        assertThat(KerberosSettings.isServer("nfs/a/b@R")).isFalse();
    }

    @Test
    void shouldReadTheUsersOfPrincipals() throws Exception {
        Path file = Files.writeString(
                temporary.resolve("principals"),
                "# people\nalice@OTHER.ORG = alice   # hers\n\n nfs/host@EXAMPLE.ORG=0\nodd=name@X.ORG = 7\n");
        assertThat(PrincipalFile.read(file))
                .isEqualTo(Map.of("alice@OTHER.ORG", "alice", "nfs/host@EXAMPLE.ORG", "0", "odd=name@X.ORG", "7"));
    }

    @ParameterizedTest
    @CsvSource({"alice@A", "alice = alice", "@A = alice", "alice@A =", "alice@ = x", "alice@A = two words"})
    void shouldSayWhichLineMakesNoSense(String line) throws Exception {
        Path file = Files.writeString(temporary.resolve("principals"), "# first\n" + line + "\n");
        assertThatThrownBy(() -> PrincipalFile.read(file))
                .hasMessage("'principals': line 2 of " + file
                        + " is not PRINCIPAL@REALM = USER, as in alice@EXAMPLE.ORG = alice");
    }

    @Test
    void shouldSayWhyTheFileIsOfNoUse() throws Exception {
        Path file = Files.writeString(temporary.resolve("principals"), "a@A = x\na@A = y\n");
        assertThatThrownBy(() -> PrincipalFile.read(file))
                .hasMessage("'principals': line 2 of " + file + " names a@A a second time");
        Path none = temporary.resolve("none");
        assertThatThrownBy(() -> PrincipalFile.read(none)).hasMessage("'principals': there is no file " + none);
        Path latin = Files.write(temporary.resolve("latin"), new byte[] {(byte) 0xe9});
        assertThatThrownBy(() -> PrincipalFile.read(latin)).hasMessage("'principals': " + latin + " is not UTF-8");
        Path large = Files.write(temporary.resolve("large"), new byte[(1 << 20) + 1]);
        assertThatThrownBy(() -> PrincipalFile.read(large)).hasMessageContaining("more than 1048576 octets");
    }

    @Test
    void shouldMapPrincipalsToUsers() throws Exception {
        Map<String, String> named = Map.of("a@X", "alice", "b@X", "1000", "c@X", "77", "d@X", "4294967295", "e@X", "?");
        PrincipalMapping mapping = new PrincipalMapping(named, "EXAMPLE.ORG", new FakeUsers());
        LocalUser alice = new LocalUser(1000, 100, List.of(50));
        assertThat(mapping.user("a@X")).contains(alice);
        assertThat(mapping.user("b@X")).contains(alice);
        assertThat(mapping.user("c@X")).contains(new LocalUser(77, 77, List.of()));
        assertThat(mapping.user("d@X")).isEmpty();
        assertThat(mapping.user("e@X")).isEmpty();
        assertThat(mapping.user("alice@EXAMPLE.ORG")).contains(alice);
        for (String nobody : List.of(
                "alice@example.org",
                "alice@X",
                "alice",
                "alice/x@EXAMPLE.ORG",
                "@EXAMPLE.ORG",
                "alice@X@EXAMPLE.ORG")) {
            assertThat(mapping.user(nobody)).as(nobody).isEmpty();
        }
    }

    @Test
    void shouldTellTheKindOfACredential() {
        assertThat(SecurityKind.of(Credential.none())).contains(SecurityKind.SYS);
        assertThat(SecurityKind.of(new Credential.Proved(6, "a@A", 1))).contains(SecurityKind.KRB5);
        assertThat(SecurityKind.of(new Credential.Proved(6, "a@A", 2))).contains(SecurityKind.KRB5I);
        assertThat(SecurityKind.of(new Credential.Proved(6, "a@A", 3))).contains(SecurityKind.KRB5P);
        assertThat(SecurityKind.of(new Credential.Proved(6, "a@A", 4))).isEmpty();
        assertThat(SecurityKind.of(new Credential.Proved(7, "a@A", 3))).isEmpty();
        assertThat(SecurityKind.of(new Credential.Other(new OpaqueAuth(6, new byte[0]))))
                .isEmpty();
    }
}
