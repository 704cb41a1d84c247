package io.verbena.rpcsec.gss.internal;

import io.verbena.rpc.security.SecurityUnavailableException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import javax.security.auth.Subject;
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
        Map<String, String> options = new HashMap<>();
        options.put("useKeyTab", "true");
        options.put("keyTab", keytab.toString());
        options.put("principal", principal);
        options.put("storeKey", "true");
        options.put("isInitiator", Boolean.toString(user));
        try {
            return login(options);
        } catch (LoginException e) {
            if (KerberosFailures.isOfTheWire(e)) {
                throw SecurityUnavailableException.passing(
                        "no key distribution centre answers for " + principal + " (" + e.getMessage() + ")", e);
            }
            throw new SecurityUnavailableException(
                    "no login as " + principal + " by the keytab " + keytab + " (" + e.getMessage()
                            + "): compare with klist -k, and see krb5.conf for the realm",
                    e);
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
