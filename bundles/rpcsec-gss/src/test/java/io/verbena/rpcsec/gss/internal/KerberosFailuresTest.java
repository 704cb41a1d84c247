package io.verbena.rpcsec.gss.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.rpc.security.SecurityUnavailableException;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.nio.file.Path;
import javax.security.auth.Subject;
import javax.security.auth.login.LoginException;
import org.ietf.jgss.GSSException;
import org.junit.jupiter.api.Test;

/** What a failed login by a keytab tells to do. */
final class KerberosFailuresTest {
    private static final Path KEYTAB = Path.of("/some/keytab");

    private static SecurityUnavailableException told(String message, Throwable cause) {
        LoginException failure = new LoginException(message);
        failure.initCause(cause);
        return KerberosFailures.ofLogin(KEYTAB, "alice@EXAMPLE.ORG", failure);
    }

    @Test
    void shouldNameTheClockWhereItIsTheClock() {
        assertThat(told("Clock skew too great (37)", null))
                .hasMessage("no login as alice@EXAMPLE.ORG by the keytab /some/keytab: the clocks of this host and of"
                        + " the key distribution centre differ too much (Clock skew too great (37)): set the clock");
    }

    @Test
    void shouldNameTheKeytabWhereItMayBeTheKeys() {
        assertThat(told("Checksum failed", null))
                .hasMessage("no login as alice@EXAMPLE.ORG by the keytab /some/keytab (Checksum failed): compare with"
                        + " klist -k, and see krb5.conf for the realm");
    }

    @Test
    void shouldWaitForACentreThatDoesNotAnswer() {
        SecurityUnavailableException failure = told("Receive timed out", new SocketTimeoutException());

        assertThat(failure).hasMessageContaining("no key distribution centre answers for alice@EXAMPLE.ORG");
        assertThat(failure.isPassing()).isTrue();
        assertThat(told("kdc.example.org: Name or service not known", new UnknownHostException("kdc.example.org"))
                        .isPassing())
                .isTrue();
        assertThat(told("Cannot get a KDC reply", new IOException("Cannot get a KDC reply"))
                        .isPassing())
                .isTrue();
        GSSException ofContext = new GSSException(GSSException.NO_CRED);
        ofContext.initCause(new IOException("Cannot locate KDC", new UnknownHostException("kdc.example.org")));
        assertThat(KerberosFailures.of("nfs@host", new Subject(), ofContext).isPassing())
                .isTrue();
    }
}
