package io.verbena.nfs41.server.internal;

import io.verbena.nfs41.server.internal.ops.ExportSettings;
import io.verbena.nfs41.server.internal.security.ExportSecurity;
import io.verbena.nfs41.server.internal.security.FakeUsers;
import io.verbena.nfs41.server.internal.security.PrincipalMapping;
import io.verbena.nfs41.server.internal.security.SecurityKind;
import java.util.List;
import java.util.Map;

/** A server that wants krb5i or krb5p, with the domain example.org and the users of {@link FakeUsers}. */
abstract class SecurityFixture extends ServerFixture {
    static final String ALICE = "alice@EXAMPLE.ORG";
    static final String ROOT = "root@EXAMPLE.ORG";
    static final int NONE = 1;
    static final int INTEGRITY = 2;
    static final int PRIVACY = 3;

    final FakeUsers users = new FakeUsers();

    @Override
    ExportSettings settings() {
        PrincipalMapping mapping = new PrincipalMapping(Map.of("boss@OTHER.ORG", "0"), "EXAMPLE.ORG", users);
        return super.settings()
                .withSecurity(new ExportSecurity(
                        List.of(SecurityKind.KRB5P, SecurityKind.KRB5I), mapping, "example.org", users));
    }

    /** A client with a session that may open files. */
    TestClient connected(String owner, String principal, int service) throws Exception {
        return new TestClient(server, owner).proved(principal, service).begun();
    }
}
