package io.verbena.nfs41.client.internal.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nfs41.Opaque;
import io.verbena.nfs41.client.internal.util.SecurityKind;
import org.junit.jupiter.api.Test;

class ClientOwnerOfKerberosTest {
    private static final Opaque OWNER = Opaque.of("verbena/host/0/mount/0/0");

    @Test
    void shouldHaveAnOwnerOfItsOwnWhereAnotherPrincipalCalls() {
        assertThat(ClientRegistration.ownerFor(OWNER, SecurityKind.SYS)).isEqualTo(OWNER);
        assertThat(ClientRegistration.ownerFor(OWNER, SecurityKind.NONE)).isEqualTo(OWNER);
        for (SecurityKind each : new SecurityKind[] {SecurityKind.KRB5, SecurityKind.KRB5I, SecurityKind.KRB5P}) {
            assertThat(ClientRegistration.ownerFor(OWNER, each)).isEqualTo(Opaque.of("verbena/host/0/mount/0/0/krb5"));
        }
    }
}
