package io.verbena.nfs41.client.internal.session;

/**
 * The states of an {@link RequestExecution}, a request in a session.
 *
 * <pre>
 * state      holds             goes on with              no reply, or no way to  session lost   given up
 *                                                        the server
 * SESSION    nothing           a session: SLOT           SESSION, as long as it  waits for the  DONE
 *                                                        may wait                next one
 * SLOT       a place in line   a slot: CONNECTION        the same                SESSION        leaves the line
 * CONNECTION slot              a connection: SENT        PAUSE                   SESSION        the slot is free
 * SENT       slot, attempt     the reply: see below      PAUSE, slot in doubt    SESSION        the slot is in doubt
 * PAUSE      slot, perhaps in  the time: CONNECTION      -                       SESSION        the slot is free or
 *            doubt                                                                              in doubt
 * BINDING    slot              the connection is bound,  PAUSE                   SESSION        the slot is free
 *                              or not: PAUSE
 * SETTLING   nothing           the slot: DONE            waits on                SESSION        DONE
 * POSTPONED  nothing           the time: SESSION         -                       -              DONE
 * LOCATING   nothing           the answer: DONE          DONE                    -              -
 * DONE       nothing; the future is complete, or about to be
 * </pre>
 *
 * <p>The next state after a reply, by the status of SEQUENCE:
 *
 * <pre>
 * SEQUENCE               then
 * OK                     the slot is free. Executed: DONE; DELAY or GRACE: POSTPONED; MOVED: LOCATING; a repetition
 *                        whose reply was not kept: SESSION, POSTPONED if again; another failure: DONE
 * DELAY                  PAUSE, the slot is not in doubt
 * BADSESSION and alike   the session is lost: SESSION
 * CONN_NOT_BOUND         BINDING
 * a false retry, or a    the slot's number is used up: SESSION where the request may be done again, POSTPONED
 *   reply not kept       if that is so again, else DONE
 * another                DONE
 * </pre>
 *
 * <p>A slot is in doubt where the server may have seen its sequence number and has not answered: {@link UncertainSlots}
 * probes it. {@link RequestRetry} bounds the time of all states together.
 */
enum RequestExecutionState {
    /** Waits for a session. */
    SESSION,
    /** Waits for a slot of the session. */
    SLOT,
    /** Waits for a connection. */
    CONNECTION,
    /** Waits for the reply. */
    SENT,
    /** Pauses before the request is sent again with the same slot and sequence number. */
    PAUSE,
    /** Waits until the connection is bound to the session. */
    BINDING,
    /** Waits until its slot is settled by a small request, to fail then: its octets go by smaller requests. */
    SETTLING,
    /** Pauses before the request begins again, as the server has put it off. */
    POSTPONED,
    /** Asks where the object has moved. */
    LOCATING,
    /** The future is complete, or about to be. */
    DONE
}
