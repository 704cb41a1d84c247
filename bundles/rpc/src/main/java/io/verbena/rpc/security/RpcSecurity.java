package io.verbena.rpc.security;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;
import javax.security.auth.Subject;
import org.osgi.annotation.versioning.ProviderType;

/** A security flavor as a service. Thread safe. */
@ProviderType
public interface RpcSecurity {
    /** Service property: the number of the flavor, 6 for RPCSEC_GSS. */
    String FLAVOR = "flavor";

    /**
     * The user whose ticket-granting ticket is in a cache, as kinit leaves it.
     *
     * @param cache the file; null for that of the user of this process ({@code KRB5CCNAME}, or the default)
     * @throws SecurityUnavailableException where there is no ticket
     */
    Subject ticketCache(Path cache) throws SecurityUnavailableException;

    /**
     * The user whose keys are in a keytab, for programs that run without a person.
     *
     * @throws SecurityUnavailableException where the keytab has no keys of the principal, or its realm takes none
     */
    Subject keytab(Path keytab, String principal) throws SecurityUnavailableException;

    /**
     * A server whose keys are in a keytab, which is read again when it has changed. Asks no key distribution centre.
     *
     * @param principal of the service, as {@code nfs/host@REALM}, or without the realm for that of krb5.conf
     * @throws SecurityUnavailableException where the keytab cannot be read, or has no keys of the principal
     */
    Subject serverKeytab(Path keytab, String principal) throws SecurityUnavailableException;

    /**
     * The calls of a user to a server.
     *
     * @param user asked for the user's credentials for each context
     * @param service the server's service and host, as {@code nfs@host}
     * @param protection what is protected; never less
     */
    SecurityClient client(UserLogin user, String service, ProtectionService protection);

    /**
     * The requests to a server.
     *
     * @param server has the server's keys
     * @param service the server's service, as {@code nfs@host}
     * @param allowed what a request has to protect at least one of
     * @throws IOException where the keys are of no use
     */
    SecurityServer server(Subject server, String service, Set<ProtectionService> allowed) throws IOException;
}
