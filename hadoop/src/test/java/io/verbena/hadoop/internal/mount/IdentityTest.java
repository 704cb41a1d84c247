package io.verbena.hadoop.internal.mount;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.hadoop.internal.settings.Settings;
import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whose ticket a mount may use, in a process whose own user may have one. */
final class IdentityTest {
    private static final UserGroupInformation ALICE = UserGroupInformation.createRemoteUser("alice");

    private static Settings settings(String options) throws IOException {
        Configuration configuration = new Configuration(false);
        configuration.set("fs.verbena.options", options);
        configuration.set("fs.verbena.user.alice", "1001:1002");
        return Settings.of(configuration, "server");
    }

    /** The server may ask for Kerberos later. */
    @ParameterizedTest
    @ValueSource(strings = {"", "sec=auto"})
    void shouldLendNobodyTheTicketOfTheProcess(String options) throws IOException {
        Identity identity = Identity.of(ALICE, settings(options));

        assertThat(identity.options()).isEqualTo("uid=1001,gid=1002,sec=sys");
        assertThat(settings(options).mountOptions(-1, identity.options()).toString())
                .contains("sec=sys");
    }

    @Test
    void shouldRefuseKerberosToWhoHasNoTicket() throws IOException {
        Settings krb5 = settings("sec=krb5");
        assertThatThrownBy(() -> Identity.of(ALICE, krb5))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("the user alice has none");
    }

    /** As Spark's executors name the user of the driver, who is that of the process. */
    @ParameterizedTest
    @ValueSource(strings = {"", "sec=krb5"})
    void shouldLeaveTheUserOfTheProcessHisTicketByWhicheverObject(String options) throws IOException {
        String name = UserGroupInformation.getLoginUser().getShortUserName();
        Identity identity = Identity.of(UserGroupInformation.createRemoteUser(name), settings(options));

        assertThat(identity.options()).doesNotContain("sec");
    }

    @Test
    void shouldUseTheKeyTableThatTheOptionsName() throws IOException {
        Identity identity = Identity.of(ALICE, settings("keytab=/etc/nfs.keytab,principal=service"));

        assertThat(identity.options()).isEqualTo("uid=1001,gid=1002");
    }
}
