package io.verbena.rpcsec.gss.internal;

import io.verbena.rpc.security.SecurityUnavailableException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.Locale;
import javax.security.auth.Subject;
import javax.security.auth.login.LoginException;
import org.ietf.jgss.GSSException;

/** Failures of Kerberos, as users can act on them. Messages have no keys, tickets or tokens. */
final class KerberosFailures {
    /** What the JDK tells where each connection was closed without a reply, as a forwarder without a centre does. */
    private static final String NO_REPLY = "Cannot get a KDC reply";

    private KerberosFailures() {}

    /** A context could not be made by this end. */
    static SecurityUnavailableException of(String service, Subject user, GSSException failure) {
        String who =
                user.getPrincipals().stream().map(Object::toString).findFirst().orElse("the user of this process");
        String told = told(failure);
        String text = chain(failure).toLowerCase(Locale.ROOT);
        String what;
        boolean isPassing = false;
        if (text.contains("server not found")) {
            what = "the key distribution centre knows no service " + service.replace('@', '/')
                    + ": add it there (kadmin addprinc -randkey), or mount by the host's full name";
        } else if (text.contains("clock skew")) {
            what = clocks(told);
        } else if (text.contains("ticket expired") || failure.getMajor() == GSSException.CREDENTIALS_EXPIRED) {
            what = "the ticket of " + who + " has expired: run kinit";
        } else if (isOfTheWire(failure)) {
            isPassing = true;
            what = "no key distribution centre answers (" + told + ")";
        } else if (text.contains("cannot locate kdc") || text.contains("cannot get kdc")) {
            what = "no key distribution centre is known for the realm: see krb5.conf (" + told + ")";
        } else if (failure.getMajor() == GSSException.NO_CRED || text.contains("failed to find any kerberos tgt")) {
            what = "there is no ticket for " + who + ": run kinit, or give a keytab";
        } else {
            what = "Kerberos: " + told;
        }
        String message = service.replace('@', '/') + ": " + what;
        return isPassing
                ? SecurityUnavailableException.passing(message, failure)
                : new SecurityUnavailableException(message, failure);
    }

    /** There is no login by the keys of a keytab. */
    static SecurityUnavailableException ofLogin(Path keytab, String principal, LoginException failure) {
        String told = failure.getMessage();
        if (isOfTheWire(failure)) {
            return SecurityUnavailableException.passing(
                    "no key distribution centre answers for " + principal + " (" + told + ")", failure);
        }
        boolean isOfClocks = chain(failure).toLowerCase(Locale.ROOT).contains("clock skew");
        return new SecurityUnavailableException(
                "no login as " + principal + " by the keytab " + keytab
                        + (isOfClocks
                                ? ": " + clocks(told)
                                : " (" + told + "): compare with klist -k, and see krb5.conf for the realm"),
                failure);
    }

    private static String clocks(String told) {
        return "the clocks of this host and of the key distribution centre differ too much (" + told
                + "): set the clock";
    }

    /** Whether nobody answered: the failure is one of sockets, of the names of hosts, or there was no reply. */
    static boolean isOfTheWire(Throwable failure) {
        for (Throwable each = failure; each != null; each = each.getCause()) {
            if (each instanceof SocketException
                    || each instanceof SocketTimeoutException
                    || each instanceof UnknownHostException
                    || String.valueOf(each.getMessage()).contains(NO_REPLY)) {
                return true;
            }
        }
        return false;
    }

    /** A server has refused a context. */
    static SecurityUnavailableException ofServer(String service, int major, int minor) {
        GSSException told = new GSSException(Math.max(1, major >>> 16), minor, null);
        return new SecurityUnavailableException(
                service.replace('@', '/') + ": the server refuses the user's proof: " + told.getMajorString()
                        + " (look at its keytab and its clock; status " + Integer.toHexString(major) + ", "
                        + Integer.toHexString(minor) + ")",
                null);
    }

    /** The messages of the failure and of its causes. */
    private static String chain(Throwable failure) {
        StringBuilder all = new StringBuilder();
        for (Throwable each = failure; each != null; each = each.getCause()) {
            all.append(each.getMessage()).append('\n');
        }
        return all.toString();
    }

    /** What Kerberos says, without the words of GSS-API before it. */
    private static String told(GSSException failure) {
        Throwable cause = failure.getCause();
        return String.valueOf(cause == null ? failure.getMessage() : cause.getMessage());
    }
}
