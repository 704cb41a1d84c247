package io.verbena.nfs41.client.internal.link;

/**
 * One attempt to get an answer from the server, as {@link ServerSilence} counts it. It ends once; later calls have no
 * effect. Used by one request, one step after another.
 */
public final class CallAttempt {
    private final ServerSilence silence;
    private boolean ended;

    /** Begins the attempt. */
    public CallAttempt(ServerSilence silence) {
        this.silence = silence;
        silence.asked();
    }

    /** The connection has brought a reply. */
    public void answered(LinkConnection by) {
        if (!ended) {
            ended = true;
            by.replied();
            silence.answered();
        }
    }

    /**
     * The attempt has ended without a reply.
     *
     * @param why the failure, or null where it tells nothing about the server
     */
    public void unanswered(Throwable why) {
        if (!ended) {
            ended = true;
            silence.unanswered(why);
        }
    }
}
