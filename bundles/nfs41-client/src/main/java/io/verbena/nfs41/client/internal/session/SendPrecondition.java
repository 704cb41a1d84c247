package io.verbena.nfs41.client.internal.session;

import java.io.IOException;

/** A condition that a request relies on, checked right before each time that the request is sent. Thread safe. */
public interface SendPrecondition {
    /** Why the request must not be sent any more, or null. */
    IOException lost();
}
