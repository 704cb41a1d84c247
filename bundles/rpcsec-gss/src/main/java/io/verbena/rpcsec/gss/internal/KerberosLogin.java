package io.verbena.rpcsec.gss.internal;

import io.verbena.rpc.security.SecurityUnavailableException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import javax.security.auth.Subject;
import javax.security.auth.kerberos.KerberosKey;
import javax.security.auth.kerberos.KerberosPrincipal;
import javax.security.auth.kerberos.KeyTab;
import javax.security.auth.login.AppConfigurationEntry;
import javax.security.auth.login.AppConfigurationEntry.LoginModuleControlFlag;
import javax.security.auth.login.Configuration;
import javax.security.auth.login.LoginContext;
import javax.security.auth.login.LoginException;

/** Logs in by the JDK's module for Kerberos, without a file of configuration and without a prompt. */
final class KerberosLogin {
    private static final String MODULE = "com.sun.security.auth.module.Krb5LoginModule";

    private KerberosLogin() {}

    static Subject ticketCache(Path cache) throws SecurityUnavailableException {
        Map<String, String> options = new HashMap<>();
        options.put("useTicketCache", "true");
        if (cache != null) {
            options.put("ticketCache", cache.toString());
        }
        try {
            return login(options);
        } catch (LoginException e) {
            throw new SecurityUnavailableException(
                    (cache == null ? "the ticket cache" : cache) + " has no ticket (" + e.getMessage()
                            + "): run kinit, or give a keytab",
                    e);
        }
    }

    /** @param user whether the principal makes calls, so that it gets a ticket */
    static Subject keytab(Path keytab, String principal, boolean user) throws SecurityUnavailableException {
        if (!Files.isReadable(keytab)) {
            throw new SecurityUnavailableException("the keytab " + keytab + " cannot be read", null);
        }
        if (!user) {
            requireKeys(keytab, principal);
        }
        Map<String, String> options = new HashMap<>();
        options.put("useKeyTab", "true");
        options.put("keyTab", keytab.toString());
        options.put("principal", principal);
        options.put("storeKey", "true");
        options.put("isInitiator", Boolean.toString(user));
        try {
            return login(options);
        } catch (LoginException e) {
            throw KerberosFailures.ofLogin(keytab, principal, e);
        }
    }

    /** The JDK looks for a server's keys when a client comes: too late to tell the one who starts the server. */
    private static void requireKeys(Path keytab, String principal) throws SecurityUnavailableException {
        KerberosKey[] keys;
        try {
            KerberosPrincipal server = new KerberosPrincipal(principal);
            keys = KeyTab.getInstance(server, keytab.toFile()).getKeys(server);
        } catch (IllegalArgumentException e) {
            throw new SecurityUnavailableException(
                    "the realm of " + principal + " is not known: name it, as in nfs/host@REALM, or in krb5.conf", e);
        }
        if (keys.length == 0) {
            throw new SecurityUnavailableException(
                    "the keytab " + keytab + " has no keys of " + principal
                            + ": add them (kadmin ktadd), or name a principal that klist -k lists",
                    null);
        }
    }

    private static Subject login(Map<String, String> options) throws LoginException {
        options.put("doNotPrompt", "true");
        Configuration configuration = new Configuration() {
            @Override
            public AppConfigurationEntry[] getAppConfigurationEntry(String name) {
                return new AppConfigurationEntry[] {
                    new AppConfigurationEntry(MODULE, LoginModuleControlFlag.REQUIRED, options)
                };
            }
        };
        LoginContext context = new LoginContext("verbena", new Subject(), null, configuration);
        context.login();
        return context.getSubject();
    }
}
