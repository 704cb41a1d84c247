package io.verbena.nfs41.client.internal.session;

import io.verbena.nfs41.ExchangeId;
import io.verbena.nfs41.client.internal.compound.StatusException;
import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Registers the client id, and makes and ends its sessions. Used by one recovery attempt at a time; its methods block.
 */
final class SessionFactory {
    private static final Logger LOG = LoggerFactory.getLogger(SessionFactory.class);

    private final CompoundCaller caller;
    private final ClientRegistration registration;
    private final BackChannelBinding backChannel;
    private boolean registered;
    private volatile ExchangeId.Result client;
    private int createSequence;

    SessionFactory(CompoundCaller caller, ClientRegistration registration, BackChannelBinding backChannel) {
        this.caller = caller;
        this.registration = registration;
        this.backChannel = backChannel;
    }

    /** Makes a session of the registered client id; registers the client first where that fails or was not done. */
    Session make() throws IOException {
        if (client != null) {
            try {
                return create();
            } catch (StatusException e) {
                LOG.debug("mount {}: {}, registering again", caller.settings().name(), e.getMessage());
            }
        }
        ExchangeId.Result before = client;
        ExchangeId.Result made = registration.exchangeId();
        client = made;
        createSequence = made.sequenceId();
        boolean confirmed = (made.flags() & ExchangeId.CONFIRMED_R) != 0;
        boolean same = before != null && confirmed && before.clientId() == made.clientId();
        registered |= !same;
        return create();
    }

    private Session create() throws IOException {
        int slots = caller.settings().slots();
        Session made = registration.createSession(
                client.clientId(),
                createSequence,
                result -> backChannel.serve(new Session(result, slots, caller.runtime())));
        createSequence++;
        return made;
    }

    /** The result of EXCHANGE_ID, or null before the first. */
    ExchangeId.Result client() {
        return client;
    }

    /** Whether the client id is another one than before, so that all state has to be reclaimed. */
    boolean isRegistered() {
        return registered;
    }

    /** All state was reclaimed. */
    void reclaimed() {
        registered = false;
    }

    /** Destroys a session that is not used any more, where the server answers. */
    void discard(Session session) {
        try {
            registration.destroySession(session.id());
        } catch (IOException e) {
            LOG.debug("mount {}: session not destroyed: {}", caller.settings().name(), e.getMessage());
        }
    }

    /** Gives up the client id: the next session is made with another server. */
    void forget() {
        ExchangeId.Result known = client;
        client = null;
        if (known == null) {
            return;
        }
        try {
            registration.destroyClientId(known.clientId());
        } catch (IOException e) {
            LOG.debug("mount {}: client not destroyed: {}", caller.settings().name(), e.getMessage());
        }
    }

    /** Destroys the session and the client id. */
    void end(Session last) throws IOException {
        registration.destroySession(last.id());
        registration.destroyClientId(client.clientId());
    }
}
