package io.verbena.verbs.natives.internal.library;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.kenai.jffi.LastError;
import io.verbena.verbs.natives.internal.struct.CmLayout;
import io.verbena.verbs.natives.internal.struct.CmLayout.CmId;
import io.verbena.verbs.natives.internal.struct.CmLayout.ConnParam;
import io.verbena.verbs.natives.internal.struct.Layout.Qp;
import io.verbena.verbs.natives.internal.struct.Layout.QpInitAttr;
import io.verbena.verbs.natives.internal.struct.NativeConstants;
import io.verbena.verbs.natives.internal.struct.NativeMemory;
import io.verbena.verbs.natives.internal.struct.ScratchMemory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is passed to librdmacm and read from it, in native memory. */
final class JnrRdmacmTest {
    private static final int SPACE = 1024;

    private final FakeLibrary library = new FakeLibrary();
    private final ScratchMemory listener = new ScratchMemory(SPACE);
    private final ScratchMemory id = new ScratchMemory(SPACE);
    private final ScratchMemory event = new ScratchMemory(SPACE);
    private final ScratchMemory qp = new ScratchMemory(SPACE);
    private final Deque<Long> waiting = new ArrayDeque<>();
    private JnrRdmacm rdmacm;

    @BeforeEach
    void setUp() throws NativeUnavailableException {
        rdmacm = new JnrRdmacm(
                library.as(RdmacmLibrary.class), new JnrPosix(NativeLibraries.load(CLibrary.class, "libc.so.6")));
        listener.putLong(CmId.CONTEXT, 42);
        id.putLong(CmId.CONTEXT, 7);
        event.putLong(CmLayout.CmEvent.ID, id.address());
        event.putLong(CmLayout.CmEvent.LISTEN_ID, listener.address());
        library.failing("rdma_get_cm_event", -1, NativeConstants.EAGAIN);
    }

    @AfterEach
    void free() {
        listener.close();
        id.close();
        event.close();
        qp.close();
    }

    @Test
    void shouldFindNoEventWhereNoneWaits() throws NativeException {
        assertThat(rdmacm.takeEvent(1)).isNull();
        assertThat(library.calls("rdma_ack_cm_event")).isZero();
    }

    @Test
    void shouldFailWhereEventsCannotBeRead() {
        library.failing("rdma_get_cm_event", -1, NativeConstants.EIO);

        assertThatExceptionOfType(NativeException.class)
                .isThrownBy(() -> rdmacm.takeEvent(1))
                .withMessage("rdma_get_cm_event failed: Input/output error (errno 5)");
    }

    /** The library sets the state of an id's queue pair as it takes an event of the id's. */
    @Test
    void shouldDestroyNoQueuePairWhileAnEventIsTaken() throws Exception {
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch leave = new CountDownLatch(1);
        library.on("rdma_get_cm_event", arguments -> {
            inside.countDown();
            awaitUninterruptibly(leave);
            assertThat(library.calls("rdma_destroy_qp")).isZero();
            LastError.getInstance().set(NativeConstants.EAGAIN);
            return -1;
        });
        CompletableFuture<CmEvent> taken = CompletableFuture.supplyAsync(() -> {
            try {
                return rdmacm.takeEvent(1);
            } catch (NativeException e) {
                throw new CompletionException(e);
            }
        });
        awaitUninterruptibly(inside);
        Thread destroying = new Thread(() -> rdmacm.destroyQp(id.address()));
        destroying.start();
        while (destroying.getState() == Thread.State.NEW || destroying.getState() == Thread.State.RUNNABLE) {
            Thread.onSpinWait();
        }
        leave.countDown();

        assertThat(taken).succeedsWithin(10, TimeUnit.SECONDS);
        destroying.join(10_000);
        assertThat(library.calls("rdma_destroy_qp")).isEqualTo(1);
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        try {
            assertThat(latch.await(10, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void shouldCopyConnectionRequestBeforeItIsAcknowledged() throws NativeException {
        try (ScratchMemory data = ScratchMemory.of(new byte[] {1, 2, 3})) {
            event.putInt(CmLayout.CmEvent.EVENT, 4);
            event.putLong(CmLayout.CmEvent.CONN + ConnParam.PRIVATE_DATA, data.address());
            event.putByte(CmLayout.CmEvent.CONN + ConnParam.PRIVATE_DATA_LEN, 3);
            event.putByte(CmLayout.CmEvent.CONN + ConnParam.RESPONDER_RESOURCES, 200);
            event.putByte(CmLayout.CmEvent.CONN + ConnParam.INITIATOR_DEPTH, 5);
            deliver(event);
            library.on("rdma_ack_cm_event", arguments -> {
                data.put(0, new byte[3]);
                return 0;
            });

            CmEvent copy = rdmacm.takeEvent(1);

            assertThat(copy)
                    .isEqualTo(new CmEvent(
                            CmEvent.Type.CONNECT_REQUEST,
                            id.address(),
                            0,
                            42,
                            0,
                            ByteBuffer.wrap(new byte[] {1, 2, 3}),
                            200,
                            5));
            assertThat(library.calls("rdma_ack_cm_event")).isEqualTo(1);
        }
    }

    @Test
    void shouldTakeTheListenersTokenFromANewId() throws NativeException {
        id.putLong(CmId.CONTEXT, 42);
        event.putInt(CmLayout.CmEvent.EVENT, 4);
        deliver(event);
        assertThat(rdmacm.takeEvent(1).listenToken()).isEqualTo(42);

        event.putInt(CmLayout.CmEvent.EVENT, 10);
        deliver(event);

        assertThat(rdmacm.takeEvent(1).token()).isZero();
        assertThat(listener.getLong(CmId.CONTEXT)).isEqualTo(42);
    }

    @Test
    void shouldTellTokenAndStatusOfOtherEventsButNoParameters() throws NativeException {
        event.putInt(CmLayout.CmEvent.EVENT, 7);
        event.putInt(CmLayout.CmEvent.STATUS, -NativeConstants.ETIMEDOUT);
        event.putLong(CmLayout.CmEvent.CONN + ConnParam.PRIVATE_DATA, 1);
        event.putByte(CmLayout.CmEvent.CONN + ConnParam.PRIVATE_DATA_LEN, 9);
        deliver(event);

        CmEvent copy = rdmacm.takeEvent(1);

        assertThat(copy.type()).isEqualTo(CmEvent.Type.UNREACHABLE);
        assertThat(copy.token()).isEqualTo(7);
        assertThat(copy.listenToken()).isZero();
        assertThat(copy.status()).isEqualTo(-NativeConstants.ETIMEDOUT);
        assertThat(copy.privateData().remaining()).isZero();
    }

    @Test
    void shouldPassOverEventsThatAreNotKnown() throws NativeException {
        try (ScratchMemory unknown = new ScratchMemory(SPACE)) {
            unknown.putLong(CmLayout.CmEvent.ID, id.address());
            unknown.putInt(CmLayout.CmEvent.EVENT, 99);
            event.putInt(CmLayout.CmEvent.EVENT, 10);
            deliver(unknown, event);

            assertThat(rdmacm.takeEvent(1).type()).isEqualTo(CmEvent.Type.DISCONNECTED);
            assertThat(library.calls("rdma_ack_cm_event")).isEqualTo(2);
        }
    }

    @Test
    void shouldHandOverConnectionParameters() throws NativeException {
        library.on("rdma_connect", arguments -> {
            long param = (long) arguments[1];
            assertThat(NativeMemory.getUnsignedByte(param + ConnParam.PRIVATE_DATA_LEN))
                    .isEqualTo(196);
            assertThat(NativeMemory.getBytes(NativeMemory.getLong(param + ConnParam.PRIVATE_DATA), 196))
                    .isEqualTo(new byte[196]);
            assertThat(NativeMemory.getUnsignedByte(param + ConnParam.RESPONDER_RESOURCES))
                    .isEqualTo(128);
            assertThat(NativeMemory.getUnsignedByte(param + ConnParam.INITIATOR_DEPTH))
                    .isEqualTo(2);
            assertThat(NativeMemory.getUnsignedByte(param + ConnParam.RETRY_COUNT))
                    .isEqualTo(6);
            assertThat(NativeMemory.getUnsignedByte(param + ConnParam.RNR_RETRY_COUNT))
                    .isEqualTo(7);
            return 0;
        });
        ByteBuffer privateData = ByteBuffer.allocate(200).position(4);

        rdmacm.connect(id.address(), new ConnectParameters(privateData, 128, 2, 6, 7));

        assertThat(library.calls("rdma_connect")).isEqualTo(1);
        assertThat(privateData.remaining()).isEqualTo(196);
    }

    @Test
    void shouldRefusePrivateDataThatNoFieldHolds() {
        ConnectParameters parameters = new ConnectParameters(ByteBuffer.allocate(256), 1, 1, 7, 7);

        assertThatIllegalArgumentException().isThrownBy(() -> rdmacm.accept(id.address(), parameters));
        assertThatIllegalArgumentException().isThrownBy(() -> rdmacm.reject(id.address(), new byte[256]));
    }

    @Test
    void shouldMakeReliableQueuePairThatSignalsWhatAsksForIt() throws NativeException {
        library.on("rdma_create_qp", arguments -> {
            long attr = (long) arguments[2];
            assertThat(NativeMemory.getLong(attr + QpInitAttr.SEND_CQ)).isEqualTo(0xc0);
            assertThat(NativeMemory.getLong(attr + QpInitAttr.RECV_CQ)).isEqualTo(0xc1);
            assertThat(NativeMemory.getInt(attr + QpInitAttr.MAX_SEND_WR)).isEqualTo(100);
            assertThat(NativeMemory.getInt(attr + QpInitAttr.MAX_RECV_WR)).isEqualTo(50);
            assertThat(NativeMemory.getInt(attr + QpInitAttr.MAX_SEND_SGE)).isEqualTo(1);
            assertThat(NativeMemory.getInt(attr + QpInitAttr.MAX_RECV_SGE)).isEqualTo(1);
            assertThat(NativeMemory.getInt(attr + QpInitAttr.MAX_INLINE_DATA)).isEqualTo(64);
            assertThat(NativeMemory.getInt(attr + QpInitAttr.QP_TYPE)).isEqualTo(NativeConstants.IBV_QPT_RC);
            assertThat(NativeMemory.getInt(attr + QpInitAttr.SQ_SIG_ALL)).isZero();
            NativeMemory.putLong((long) arguments[0] + CmId.QP, qp.address());
            NativeMemory.putInt(attr + QpInitAttr.MAX_SEND_WR, 128);
            NativeMemory.putInt(attr + QpInitAttr.MAX_RECV_WR, 64);
            NativeMemory.putInt(attr + QpInitAttr.MAX_INLINE_DATA, 236);
            return 0;
        });
        layOutQp();

        assertThat(rdmacm.createQp(id.address(), 1, 0xc0, 0xc1, new QueueLimits(100, 50, 64)))
                .isEqualTo(new CreatedQueuePair(qp.address(), new QueueLimits(128, 64, 236)));
    }

    private void layOutQp() {
        id.putLong(CmId.VERBS, 0x3000);
        qp.putLong(Qp.CONTEXT, 0x3000);
        qp.putLong(Qp.PD, 1);
        qp.putLong(Qp.SEND_CQ, 0xc0);
        qp.putLong(Qp.RECV_CQ, 0xc1);
    }

    @ParameterizedTest
    @ValueSource(ints = {Qp.CONTEXT, Qp.PD, Qp.SEND_CQ, Qp.RECV_CQ})
    void shouldRefuseQueuePairThatIsLaidOutOtherwise(int member) {
        library.on("rdma_create_qp", arguments -> {
            NativeMemory.putLong((long) arguments[0] + CmId.QP, qp.address());
            return 0;
        });
        layOutQp();
        qp.putLong(member, 0x77);

        assertThatExceptionOfType(NativeException.class)
                .isThrownBy(() -> rdmacm.createQp(id.address(), 1, 0xc0, 0xc1, new QueueLimits(100, 50, 64)))
                .withMessageContaining("ibv_qp is laid out in a way that is not known");
        assertThat(library.calls("rdma_destroy_qp")).isEqualTo(1);
    }

    @Test
    void shouldTellCallAndReasonOfAFailure() throws Exception {
        library.failing("rdma_resolve_addr", -1, NativeConstants.ENODEV);
        InetSocketAddress remote = new InetSocketAddress(InetAddress.getByAddress(new byte[] {10, 0, 0, 1}), 20049);

        assertThatExceptionOfType(NativeException.class)
                .isThrownBy(() -> rdmacm.resolveAddr(id.address(), remote, 100))
                .withMessage("rdma_resolve_addr failed: No such device (errno 19)")
                .satisfies(e -> assertThat(e.call()).isEqualTo("rdma_resolve_addr"))
                .satisfies(e -> assertThat(e.errno()).isEqualTo(NativeConstants.ENODEV));
    }

    @Test
    void shouldKeepTheListsThatHaveNewDevices() throws NativeException {
        try (ScratchMemory list = new ScratchMemory(3 * Long.BYTES)) {
            list.putLong(0, 0x1000);
            list.putLong(Long.BYTES, 0x2000);
            library.on("rdma_get_devices", arguments -> {
                NativeMemory.putInt((long) arguments[0], 2);
                return list.address();
            });

            assertThat(rdmacm.devices()).containsExactly(0x1000, 0x2000);
            assertThat(library.calls("rdma_free_devices")).isZero();
            assertThat(rdmacm.devices()).containsExactly(0x1000, 0x2000);
            assertThat(library.calls("rdma_free_devices")).isEqualTo(1);
            list.putLong(0, 0x3000);
            assertThat(rdmacm.devices()).containsExactly(0x3000, 0x2000);
            assertThat(library.calls("rdma_free_devices")).isEqualTo(1);
            library.failing("rdma_get_devices", 0, NativeConstants.ENODEV);
            assertThat(rdmacm.devices()).isEmpty();
            rdmacm.releaseDevices();
            rdmacm.releaseDevices();
            assertThat(library.calls("rdma_free_devices")).isEqualTo(3);
        }
    }

    @Test
    void shouldFindNoDevicesWhereThereAreNone() throws NativeException {
        library.failing("rdma_get_devices", 0, NativeConstants.ENODEV);

        assertThat(rdmacm.devices()).isEmpty();
        rdmacm.releaseDevices();
        assertThat(library.calls("rdma_free_devices")).isZero();
    }

    private void deliver(ScratchMemory... events) {
        for (ScratchMemory next : events) {
            waiting.add(next.address());
        }
        FakeLibrary none = new FakeLibrary().failing("rdma_get_cm_event", -1, NativeConstants.EAGAIN);
        RdmacmLibrary empty = none.as(RdmacmLibrary.class);
        library.on("rdma_get_cm_event", arguments -> {
            if (waiting.isEmpty()) {
                return empty.rdma_get_cm_event(0, 0);
            }
            NativeMemory.putLong((long) arguments[1], waiting.remove());
            return 0;
        });
    }
}
