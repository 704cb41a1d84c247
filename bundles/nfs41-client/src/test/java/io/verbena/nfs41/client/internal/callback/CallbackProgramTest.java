package io.verbena.nfs41.client.internal.callback;

import static io.verbena.nfs41.client.internal.callback.CallbackRequest.bare;
import static io.verbena.nfs41.client.internal.callback.CallbackRequest.compound;
import static io.verbena.nfs41.client.internal.callback.CallbackRequest.sequence;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.conformance.Proves;
import io.verbena.nfs41.CallbackSecurity;
import io.verbena.nfs41.CbCompound;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.SecurityFlavor;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.client.internal.callback.CallbackRequest.Outcome;
import io.verbena.rpc.AcceptStatus;
import io.verbena.rpc.AuthStatus;
import io.verbena.rpc.Credential;
import io.verbena.rpc.OpaqueAuth;
import io.verbena.xdr.XdrException;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which callbacks are taken at all: of whom, of which version, and with which operations. */
class CallbackProgramTest extends CallbackFixture {
    @Test
    void shouldAnswerANullCallOfAnybody() throws Exception {
        CallbackRequest request = new CallbackRequest(
                        CbCompound.PROC_NULL, new Credential.Other(new OpaqueAuth(6, new byte[0])), new byte[0])
                .by(program);
        assertThat(request.isReplied()).isTrue();
        assertThat(program.lowVersion()).isEqualTo(1);
        assertThat(program.highVersion()).isEqualTo(1);
    }

    @Test
    void shouldHaveNoThirdProcedure() throws Exception {
        assertThat(new CallbackRequest(2, Credential.none(), new byte[0])
                        .by(program)
                        .failed())
                .isEqualTo(AcceptStatus.PROC_UNAVAIL);
    }

    @Test
    @Proves("BI-8-1")
    @DisplayName("A callback is taken under a credential that was announced for callbacks, and no other")
    void shouldTakeTheCredentialsItAnnounced() throws Exception {
        CallbackCredentials credentials = new CallbackCredentials(USER);
        assertThat(credentials.announced())
                .extracting(CallbackSecurity::flavor)
                .containsExactly(SecurityFlavor.AUTH_NONE, SecurityFlavor.AUTH_SYS);
        assertThat(credentials.announced().get(1).sys().uid()).isEqualTo(10);
        Credential server = new Credential.Sys(9, "server", 10, 20, List.of());
        for (Credential good : List.of(Credential.none(), server)) {
            assertThat(compound(good, 1).by(program).status()).isEqualTo(Status.NFS4_OK);
        }
        Credential root = new Credential.Sys(0, "here", 0, 0, List.of());
        for (Credential bad : List.of(root, new Credential.Other(new OpaqueAuth(6, new byte[0])))) {
            CallbackRequest request = compound(bad, 1, sequence(SESSION, 1, 0), CallbackFixture::recall)
                    .by(program);
            assertThat(request.rejected()).isEqualTo(AuthStatus.AUTH_BADCRED);
        }
        assertThat(called).isEmpty();
    }

    @Test
    @Proves("BI-8-1")
    @DisplayName("A mount without credentials of its own announces AUTH_NONE for callbacks and takes nothing else")
    void shouldTakeNoUserWhereNoneWasAnnounced() throws Exception {
        assertThat(new CallbackCredentials(Credential.none()).announced()).containsExactly(CallbackSecurity.NONE);
        CallbackProgram anonymous = program(session, Credential.none());
        assertThat(compound(Credential.none(), 1).by(anonymous).status()).isEqualTo(Status.NFS4_OK);
        assertThat(compound(USER, 1).by(anonymous).rejected()).isEqualTo(AuthStatus.AUTH_BADCRED);
    }

    @Test
    void shouldRefuseOtherMinorVersions() throws Exception {
        CallbackRequest request =
                compound(Credential.none(), 2, sequence(SESSION, 1, 0)).by(program);
        assertThat(request.status()).isEqualTo(Status.NFS4ERR_MINOR_VERS_MISMATCH);
        assertThat(request.outcomes()).isEmpty();
    }

    @Test
    void shouldWantSequenceFirstAndOnlyThere() throws Exception {
        assertThat(compound(CallbackFixture::recall).by(program).outcomes())
                .containsExactly(new Outcome(Opcode.CB_RECALL, Status.NFS4ERR_OP_NOT_IN_SESSION));
        assertThat(compound(bare(77)).by(program).outcomes())
                .containsExactly(new Outcome(Opcode.CB_ILLEGAL, Status.NFS4ERR_OP_ILLEGAL));
        assertThat(compound(sequence(SESSION, 1, 0), sequence(SESSION, 1, 1))
                        .by(program)
                        .outcomes())
                .isEqualTo(failing(Opcode.CB_SEQUENCE, Status.NFS4ERR_SEQUENCE_POS));
        assertThat(called).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            ints = {
                Opcode.CB_NOTIFY,
                Opcode.CB_PUSH_DELEG,
                Opcode.CB_RECALLABLE_OBJ_AVAIL,
                Opcode.CB_WANTS_CANCELLED,
                Opcode.CB_NOTIFY_DEVICEID
            })
    void shouldNotSupportWhatItNeverAskedFor(int opcode) throws Exception {
        assertThat(compound(sequence(SESSION, 1, 0), bare(opcode), CallbackFixture::recall)
                        .by(program)
                        .outcomes())
                .isEqualTo(failing(opcode, Status.NFS4ERR_NOTSUPP));
        assertThat(called).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 2, 15, -1, Opcode.CB_ILLEGAL})
    void shouldCallIllegalWhatNobodyDefines(int opcode) throws Exception {
        assertThat(compound(sequence(SESSION, 1, 0), bare(opcode)).by(program).outcomes())
                .isEqualTo(failing(Opcode.CB_ILLEGAL, Status.NFS4ERR_OP_ILLEGAL));
    }

    @Test
    void shouldTellWhatItCannotRead() throws Exception {
        assertThat(compound(bare(Opcode.CB_SEQUENCE)).by(program).outcomes()).isEqualTo(refused(Status.NFS4ERR_BADXDR));
        assertThat(compound(sequence(SESSION, 1, 0), bare(Opcode.CB_RECALL))
                        .by(program)
                        .outcomes())
                .isEqualTo(failing(Opcode.CB_RECALL, Status.NFS4ERR_BADXDR));
        CallbackRequest headless = new CallbackRequest(CbCompound.PROC_COMPOUND, Credential.none(), new byte[8]);
        assertThatThrownBy(() -> headless.by(program)).isInstanceOf(XdrException.class);
    }
}
