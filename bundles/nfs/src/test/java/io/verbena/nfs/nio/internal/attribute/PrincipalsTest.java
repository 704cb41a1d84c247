package io.verbena.nfs.nio.internal.attribute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.UserPrincipal;
import java.nio.file.attribute.UserPrincipalNotFoundException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Users and groups, by the names that NFSv4 has for them. */
class PrincipalsTest {
    private final Principals principals = new Principals();

    @ParameterizedTest
    @CsvSource({"0,0", "007,7", "4294967295,4294967295", "alice@example.org,alice@example.org"})
    void shouldFindWhomAServerMayKnow(String name, String known) throws IOException {
        UserPrincipal user = principals.lookupPrincipalByName(name);
        GroupPrincipal group = principals.lookupPrincipalByGroupName(name);
        assertThat(user).isNotInstanceOf(GroupPrincipal.class).isNotEqualTo(group);
        assertThat(user.getName()).isEqualTo(known);
        assertThat(group.getName()).isEqualTo(known);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "alice", "-1", "4294967296", "99999999999", "@example.org", "alice@", "+1", "0x1"})
    void shouldNotFindWhomNoServerTakes(String name) {
        assertThatThrownBy(() -> principals.lookupPrincipalByName(name))
                .isInstanceOfSatisfying(UserPrincipalNotFoundException.class, e -> assertThat(e.getName())
                        .isEqualTo(name));
        assertThatThrownBy(() -> principals.lookupPrincipalByGroupName(name))
                .isInstanceOf(UserPrincipalNotFoundException.class);
    }
}
