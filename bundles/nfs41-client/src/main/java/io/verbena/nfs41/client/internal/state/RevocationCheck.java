package io.verbena.nfs41.client.internal.state;

import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.StateId;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.TestStateId;
import io.verbena.nfs41.client.internal.compound.CompoundRequest;
import io.verbena.nfs41.client.internal.compound.CompoundWriter;
import io.verbena.nfs41.client.internal.compound.Results;
import io.verbena.nfs41.client.internal.session.CompoundCaller;
import io.verbena.nfs41.client.internal.util.Futures;
import io.verbena.runtime.Runtime;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds out by TEST_STATEID which states the server has revoked (RFC 8881 section 18.48). It tests all states, in
 * several requests where needed, one after the other. Thread safe.
 */
final class RevocationCheck {
    private static final Logger LOG = LoggerFactory.getLogger(RevocationCheck.class);

    /** The most stateids of one request. */
    static final int BATCH = 256;

    private static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final Supplier<List<Suspect>> suspects;
    private final Runtime runtime;
    private final AtomicLong nextNanos;
    private final AtomicBoolean running = new AtomicBoolean();

    /**
     * A state that the server may have revoked.
     *
     * @param stateId tested without its seqid
     * @param whenRevoked run if the server does not know the state any more; must not block
     */
    record Suspect(StateId stateId, Runnable whenRevoked) {}

    /** @param suspects all states that there are at the time */
    RevocationCheck(Supplier<List<Suspect>> suspects, Runtime runtime) {
        this.suspects = suspects;
        this.runtime = runtime;
        this.nextNanos = new AtomicLong(runtime.nanoTime());
    }

    /**
     * Begins a check, as the server reports revoked state. The server does so in each reply until all of the state is
     * freed; so checks begin at intervals, and one at a time. Does not block.
     */
    void begin(CompoundCaller caller) {
        long now = runtime.nanoTime();
        long next = nextNanos.get();
        boolean due = next - now <= 0 && nextNanos.compareAndSet(next, now + INTERVAL_NANOS);
        if (!due || !running.compareAndSet(false, true)) {
            return;
        }
        try {
            test(caller, suspects.get().iterator());
        } catch (Throwable e) {
            running.set(false);
            throw e;
        }
    }

    private void test(CompoundCaller caller, Iterator<Suspect> left) {
        List<Suspect> batch = take(left);
        if (batch.isEmpty()) {
            running.set(false);
            return;
        }
        List<StateId> ids =
                batch.stream().map(each -> each.stateId().withoutSeqid()).toList();
        Futures.whenDoneElse(
                caller.call(new TestRequest(ids)),
                (statuses, thrown) -> {
                    if (thrown != null) {
                        failed(thrown);
                    } else {
                        tell(batch, statuses);
                        test(caller, left);
                    }
                },
                this::failed);
    }

    /** The check has failed. The server goes on reporting revoked state, which begins the next check. */
    private void failed(Throwable thrown) {
        running.set(false);
        LOG.debug("what the server has revoked could not be found out: {}", thrown.toString());
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

    private static final class TestRequest extends CompoundRequest<List<Status>> {
        private final List<StateId> ids;

        TestRequest(List<StateId> ids) {
            this.ids = ids;
        }

        @Override
        public void encode(CompoundWriter operations) {
            TestStateId.encodeArgs(operations.next(), new TestStateId.Args(ids));
        }

        @Override
        public List<Status> decode(Results results) throws IOException {
            return TestStateId.decodeResult(results.next(Opcode.TEST_STATEID)).statuses();
        }
    }
}
