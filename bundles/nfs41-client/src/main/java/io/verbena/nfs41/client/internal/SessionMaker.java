package io.verbena.nfs41.client.internal;

import io.verbena.nfs41.ExchangeId;
import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Registers the client and makes sessions of it, and ends them. Belongs to the attempt that is under way; its methods
 * block.
 */
final class SessionMaker {
    private static final Logger LOG = LoggerFactory.getLogger(SessionMaker.class);

    private final Requester requester;
    private final Registration registration;
    private final BackChannel backChannel;
    private boolean registered;
    private volatile ExchangeId.Result client;
    private int createSequence;

    SessionMaker(Requester requester, Registration registration, BackChannel backChannel) {
        this.requester = requester;
        this.registration = registration;
        this.backChannel = backChannel;
    }

    /** A session of the client that the server knows, or of one that is registered now. */
    Session make() throws IOException {
        if (client != null) {
            try {
                return create();
            } catch (StatusException e) {
                LOG.debug(
                        "mount {}: {}, registering again", requester.settings().name(), e.getMessage());
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
        int slots = requester.settings().slots();
        Session made = registration.createSession(
                client.clientId(), createSequence, result -> backChannel.serve(new Session(result, slots)));
        createSequence++;
        return made;
    }

    /** What the server said of itself, or null before that. */
    ExchangeId.Result client() {
        return client;
    }

    /** Whether the client is another one than before, which holds nothing yet. */
    boolean isRegistered() {
        return registered;
    }

    /** All that was held before is held again. */
    void reclaimed() {
        registered = false;
    }

    /** The server answers and keeps a session that nobody will use any more. */
    void discard(Session session) {
        try {
            registration.destroySession(session.id());
        } catch (IOException e) {
            LOG.debug(
                    "mount {}: session not destroyed: {}", requester.settings().name(), e.getMessage());
        }
    }

    /** Gives up the client: the next session is one of another server. */
    void forget() {
        ExchangeId.Result known = client;
        client = null;
        if (known == null) {
            return;
        }
        try {
            registration.destroyClientId(known.clientId());
        } catch (IOException e) {
            LOG.debug("mount {}: client not destroyed: {}", requester.settings().name(), e.getMessage());
        }
    }

    /** Ends the session and the client. */
    void end(Session last) throws IOException {
        registration.destroySession(last.id());
        registration.destroyClientId(client.clientId());
    }
}
