package io.verbena.nfs41.client.internal.callback;

import io.verbena.nfs41.AttributeMask;
import io.verbena.nfs41.Attributes;
import io.verbena.nfs41.CbRecall;
import io.verbena.nfs41.ChannelAttributes;
import io.verbena.nfs41.CreateSession;
import io.verbena.nfs41.FileHandle;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.SessionId;
import io.verbena.nfs41.StateId;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.client.internal.callback.CallbackRequest.Outcome;
import io.verbena.nfs41.client.internal.figures.CurrentWaits;
import io.verbena.nfs41.client.internal.session.Session;
import io.verbena.nfs41.client.internal.state.LockWaiters;
import io.verbena.rpc.Credential;
import io.verbena.runtime.Runtime;
import io.verbena.runtime.SystemRuntime;
import io.verbena.xdr.XdrWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A callback program whose holder of delegations notes what it is called for. */
abstract class CallbackFixture {
    private static final Runtime RUNTIME = new SystemRuntime();
    static final SessionId SESSION = new SessionId(5, 6);
    static final FileHandle FILE = FileHandle.of((byte) 1);
    static final StateId STATE = new StateId(1, 2, 3);
    static final Credential.Sys USER = new Credential.Sys(0, "here", 10, 20, List.of(30));

    final List<String> called = new ArrayList<>();
    final LockWaiters locks = new LockWaiters(new CurrentWaits(RUNTIME), RUNTIME);
    final Session session = session(new ChannelAttributes(0, 4000, 4000, 4000, 8, 4, Optional.empty()));
    Status recallStatus = Status.NFS4_OK;
    Optional<Attributes> known = Optional.empty();
    final CallbackProgram program = program(session, USER);

    private final class Recorder implements DelegationRecalls {
        @Override
        public Status recall(FileHandle file, StateId delegation, boolean truncate) {
            called.add("recall " + delegation.otherLow() + " " + truncate);
            if (recallStatus == null) {
                throw new IllegalStateException("a failure of the holder's");
            }
            return recallStatus;
        }

        @Override
        public Optional<Attributes> attributes(FileHandle file, AttributeMask asked) {
            called.add("attributes");
            return known;
        }

        @Override
        public void recallAny(int keep, boolean reading, boolean writing) {
            called.add("any " + keep + " " + reading + " " + writing);
        }
    }

    static Session session(ChannelAttributes back) {
        ChannelAttributes fore = new ChannelAttributes(0, 66_000, 66_000, 4096, 16, 4, Optional.empty());
        return new Session(new CreateSession.Result(SESSION, 1, CreateSession.CONN_BACK_CHAN, fore, back), 4, RUNTIME);
    }

    CallbackProgram program(Session only, Credential mount) {
        CallbackOperations operations =
                new CallbackOperations(new Recorder(), locks, () -> called.add("slots recalled"));
        return new CallbackProgram(
                new CallbackCredentials(mount), operations, id -> id.equals(only.id()) ? only : null);
    }

    static void recall(XdrWriter out) {
        CbRecall.encodeArgs(out, new CbRecall.Args(STATE, true, FILE));
    }

    static List<Outcome> failing(int opcode, Status status) {
        return List.of(Outcome.ok(Opcode.CB_SEQUENCE), new Outcome(opcode, status));
    }

    static List<Outcome> refused(Status status) {
        return List.of(new Outcome(Opcode.CB_SEQUENCE, status));
    }
}
