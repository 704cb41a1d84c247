package io.verbena.nfs41.client.internal;

import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.StateId;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.TestStateId;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/**
 * Finds out by TEST_STATEID which states the server has revoked (RFC 8881 section 18.48). All states are tested, in as
 * many requests as that takes, one behind the other. Thread safe.
 */
final class RevocationCheck {
    /** The most stateids of one request. */
    static final int BATCH = 256;

    private static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final Supplier<List<Suspect>> suspects;
    private final AtomicLong nextNanos = new AtomicLong(System.nanoTime());
    private final AtomicBoolean running = new AtomicBoolean();

    /**
     * A state that the server may have revoked.
     *
     * @param stateId tested whatever its present seqid is
     * @param whenRevoked run where the server does not know the state any more; must not block
     */
    record Suspect(StateId stateId, Runnable whenRevoked) {}

    /**
     * @param suspects all states that there are at the time
     */
    RevocationCheck(Supplier<List<Suspect>> suspects) {
        this.suspects = suspects;
    }

    /**
     * The server says that it has revoked something. It says so in each reply until all of that is freed, so a check
     * begins once in a while only, and not while one runs. Does not block.
     */
    void begin(Requester requester) {
        long now = System.nanoTime();
        long next = nextNanos.get();
        boolean due = next - now <= 0 && nextNanos.compareAndSet(next, now + INTERVAL_NANOS);
        if (!due || !running.compareAndSet(false, true)) {
            return;
        }
        try {
            test(requester, suspects.get().iterator());
        } catch (RuntimeException | Error e) {
            running.set(false);
            throw e;
        }
    }

    private void test(Requester requester, Iterator<Suspect> left) {
        List<Suspect> batch = take(left);
        if (batch.isEmpty()) {
            running.set(false);
            return;
        }
        List<StateId> ids =
                batch.stream().map(each -> each.stateId().withoutSeqid()).toList();
        Futures.whenDone(requester.call(new TestRequest(ids)), (statuses, thrown) -> {
            if (thrown != null) {
                running.set(false); // the server goes on telling, which begins the next check
                return;
            }
            try {
                tell(batch, statuses);
                test(requester, left);
            } catch (RuntimeException | Error e) {
                running.set(false);
                throw e;
            }
        });
    }

    private static List<Suspect> take(Iterator<Suspect> from) {
        List<Suspect> batch = new ArrayList<>(BATCH);
        while (batch.size() < BATCH && from.hasNext()) {
            batch.add(from.next());
        }
        return batch;
    }

    private static void tell(List<Suspect> batch, List<Status> statuses) {
        for (int i = 0; i < Math.min(batch.size(), statuses.size()); i++) {
            Status status = statuses.get(i);
            if (!status.isOk() && status != Status.NFS4ERR_OLD_STATEID) {
                batch.get(i).whenRevoked().run();
            }
        }
    }

    private static final class TestRequest extends Request<List<Status>> {
        private final List<StateId> ids;

        TestRequest(List<StateId> ids) {
            this.ids = ids;
        }

        @Override
        void encode(Operations operations) {
            TestStateId.encodeArgs(operations.next(), new TestStateId.Args(ids));
        }

        @Override
        List<Status> decode(Results results) throws IOException {
            return TestStateId.decodeResult(results.next(Opcode.TEST_STATEID)).statuses();
        }
    }
}
