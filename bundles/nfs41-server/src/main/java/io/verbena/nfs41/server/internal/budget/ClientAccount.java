package io.verbena.nfs41.server.internal.budget;

import com.google.errorprone.annotations.concurrent.GuardedBy;

/** The share of a {@link StateBudget} that one client holds. Thread safe. */
public final class ClientAccount {
    private final StateBudget budget;
    private final StateBudget.Holder holder;
    private final Runnable ended;

    @GuardedBy("budget")
    private long held;

    @GuardedBy("budget")
    private boolean closed;

    /** @param ended called when the client is ended to make room for another one; must not block */
    ClientAccount(StateBudget budget, StateBudget.Holder holder, Runnable ended) {
        this.budget = budget;
        this.holder = holder;
        this.ended = ended;
    }

    /** Charges the client with so many octets. Returns false if the budget refuses. */
    public boolean take(StateKind kind, long octets) {
        return budget.take(this, kind, octets);
    }

    public void give(StateKind kind, long octets) {
        budget.give(this, kind, octets);
    }

    /** How many further octets the client could take now. */
    public long spare() {
        return budget.spare(this);
    }

    /** Whether a client that is refused has a good part of the budget itself, and has to give back of that. */
    public boolean hasItsPart() {
        return budget.hasItsPart(this);
    }

    /** Closes the account: no more is charged. */
    public void close() {
        budget.close(this);
    }

    /** Confirms the client, which is not ended for others any more. Returns false if it has been ended already. */
    public boolean confirm() {
        return budget.confirm(this);
    }

    /** For the budget. */
    Runnable ended() {
        return ended;
    }

    StateBudget.Holder holder() {
        return holder;
    }

    /** What the client holds, in octets. */
    public long held() {
        synchronized (budget) {
            return held;
        }
    }

    /** For the budget. */
    void held(long octets) {
        synchronized (budget) {
            held = octets;
        }
    }

    /** Whether the account is closed, so that no more is charged. */
    public boolean isClosed() {
        synchronized (budget) {
            return closed;
        }
    }

    /** For the budget. */
    void closed() {
        synchronized (budget) {
            closed = true;
        }
    }
}
