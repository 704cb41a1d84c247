package io.verbena.verbs.natives.internal.library;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import com.kenai.jffi.Library;
import com.kenai.jffi.MemoryIO;
import io.verbena.verbs.natives.internal.struct.Layout;
import io.verbena.verbs.natives.internal.struct.Layout.Context;
import io.verbena.verbs.natives.internal.struct.Layout.Cq;
import io.verbena.verbs.natives.internal.struct.Layout.Device;
import io.verbena.verbs.natives.internal.struct.Layout.DeviceAttr;
import io.verbena.verbs.natives.internal.struct.Layout.Mw;
import io.verbena.verbs.natives.internal.struct.Layout.Pd;
import io.verbena.verbs.natives.internal.struct.Layout.PortAttr;
import io.verbena.verbs.natives.internal.struct.Layout.Qp;
import io.verbena.verbs.natives.internal.struct.NativeConstants;
import io.verbena.verbs.natives.internal.struct.NativeMemory;
import io.verbena.verbs.natives.internal.struct.ScratchMemory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Structures in native memory, and functions of the C library in the place of a driver's. */
final class JnrIbverbsTest {
    private static final int SPACE = 2048;

    private final FakeLibrary library = new FakeLibrary();
    private final ScratchMemory context = new ScratchMemory(SPACE);
    private final ScratchMemory device = new ScratchMemory(SPACE);
    private final ScratchMemory object = new ScratchMemory(SPACE);
    private final Library c = Library.getCachedInstance("libc.so.6", Library.LAZY);
    private JnrIbverbs ibverbs;

    @BeforeEach
    void setUp() throws NativeUnavailableException {
        ibverbs = new JnrIbverbs(
                library.as(IbverbsLibrary.class), new JnrPosix(NativeLibraries.load(CLibrary.class, "libc.so.6")));
        context.putLong(Context.DEVICE, device.address());
    }

    @AfterEach
    void free() {
        context.close();
        device.close();
        object.close();
    }

    @Test
    void shouldReadDeviceAndItsLimits() throws NativeException {
        device.put(Device.NAME, "rxe0".getBytes(StandardCharsets.UTF_8));
        device.putInt(Device.TRANSPORT_TYPE, NativeConstants.IBV_TRANSPORT_IWARP);
        library.on("ibv_query_device", arguments -> {
            long attr = (long) arguments[1];
            MemoryIO.getInstance().putByte(attr + DeviceAttr.FW_VER, (byte) '7');
            NativeMemory.putLong(attr + DeviceAttr.MAX_MR_SIZE, 1L << 40);
            NativeMemory.putInt(attr + DeviceAttr.MAX_QP_WR, 4096);
            NativeMemory.putInt(attr + DeviceAttr.MAX_SGE, 6);
            NativeMemory.putInt(attr + DeviceAttr.DEVICE_CAP_FLAGS, 0x8000_0000);
            MemoryIO.getInstance().putByte(attr + DeviceAttr.PHYS_PORT_CNT, (byte) 255);
            return 0;
        });

        assertThat(ibverbs.deviceName(context.address())).isEqualTo("rxe0");
        assertThat(ibverbs.queryDevice(context.address()))
                .isEqualTo(new DeviceAttributes(true, "7", 1L << 40, 0, 4096, 6, 0, 0, 0, 0, 0, 255, 0x8000_0000L));
    }

    @Test
    void shouldTakeTheErrorNumberThatACallReturns() {
        library.failing("ibv_query_device", NativeConstants.EINVAL, 0);

        assertThatExceptionOfType(NativeException.class)
                .isThrownBy(() -> ibverbs.queryDevice(context.address()))
                .withMessage("ibv_query_device failed: Invalid argument (errno 22)");
    }

    @Test
    void shouldReadPortAndTheGidsThatThereAre() throws NativeException {
        library.on("ibv_query_port", arguments -> {
                    long attr = (long) arguments[2];
                    NativeMemory.putInt(attr + PortAttr.STATE, NativeConstants.IBV_PORT_ACTIVE);
                    NativeMemory.putInt(attr + PortAttr.ACTIVE_MTU, 3);
                    NativeMemory.putInt(attr + PortAttr.GID_TBL_LEN, 1024);
                    MemoryIO.getInstance()
                            .putByte(attr + PortAttr.LINK_LAYER, (byte) NativeConstants.IBV_LINK_LAYER_ETHERNET);
                    return 0;
                })
                .on("ibv_query_gid", arguments -> {
                    int index = (int) arguments[2];
                    MemoryIO.getInstance().setMemory((long) arguments[3], 16, (byte) 0);
                    MemoryIO.getInstance().putByte((long) arguments[3] + 15, (byte) (index == 2 ? 9 : 0));
                    return index == 1 ? -1 : 0;
                });

        PortAttributes port = ibverbs.queryPort(context.address(), 1);

        assertThat(port.state()).isEqualTo("ACTIVE");
        assertThat(port.activeMtu()).isEqualTo(3);
        assertThat(port.ethernet()).isTrue();
        assertThat(port.gids()).containsExactly("0:0:0:0:0:0:0:9");
    }

    @Test
    void shouldSpreadPairsOfCompletionQueuesOverTheDevicesVectors() throws NativeException {
        List<Object> vectors = new ArrayList<>();
        library.on("ibv_create_cq", arguments -> {
            vectors.add(arguments[4]);
            return 5;
        });
        for (int i = 0; i < 2; i++) {
            ibverbs.createCq(context.address(), 10, 1);
        }
        assertThat(vectors).containsExactly(0, 0);

        context.putInt(Context.NUM_COMP_VECTORS, 3);
        vectors.clear();
        for (int i = 0; i < 6; i++) {
            ibverbs.createCq(context.address(), 10, 1);
        }
        assertThat(vectors).containsExactly(1, 1, 2, 2, 0, 0);
    }

    @Test
    void shouldTakeErrnoWhereNoPointerIsReturned() {
        library.failing("ibv_reg_mr", 0, NativeConstants.ENOMEM);

        assertThatExceptionOfType(NativeException.class)
                .isThrownBy(() -> ibverbs.regMr(1, 0x1000, 10, 0x1000, 0))
                .withMessage("ibv_reg_mr failed: Cannot allocate memory (errno 12)");
    }

    @Test
    void shouldRegisterAtAnAddressOfItsOwnOnlyWhereThereIsOne() throws NativeException {
        library.on("ibv_reg_mr", arguments -> 5).on("ibv_reg_mr_iova", arguments -> (long) arguments[3]);

        assertThat(ibverbs.regMr(1, 0x1000, 10, 0x1000, 0)).isEqualTo(5);
        assertThat(ibverbs.regMr(1, 0x1000, 10, 0x7000_1000L, 0)).isEqualTo(0x7000_1000L);
    }

    @Test
    void shouldCallTheOperationsOfTheContext() {
        object.putLong(Cq.CONTEXT, context.address());
        context.putLong(Context.POLL_CQ, c.getSymbolAddress("labs"));
        context.putLong(Context.REQ_NOTIFY_CQ, c.getSymbolAddress("labs"));
        assertThat(ibverbs.pollCq(object.address(), 16, 0)).isEqualTo((int) object.address());
        assertThat(ibverbs.reqNotifyCq(object.address())).isEqualTo((int) object.address());
    }

    /** memcpy(queue pair, request, 8) shows both arguments; what it returns is the queue pair's address. */
    @Test
    void shouldPostThroughTheContextOfTheQueuePair() {
        try (ScratchMemory request = new ScratchMemory(Long.BYTES)) {
            request.putLong(0, 0x1234_5678_9abc_def0L);
            context.putLong(Context.POST_SEND, c.getSymbolAddress("memcpy"));
            object.putLong(Qp.CONTEXT, context.address());

            assertThat(ibverbs.postSend(object.address(), request.address(), Long.BYTES))
                    .isEqualTo((int) object.address());
            assertThat(object.getLong(0)).isEqualTo(0x1234_5678_9abc_def0L);

            context.putLong(Context.POST_RECV, c.getSymbolAddress("memcpy"));
            object.putLong(Qp.CONTEXT, context.address());
            request.putLong(0, 5);
            assertThat(ibverbs.postReceive(object.address(), request.address(), Long.BYTES))
                    .isEqualTo((int) object.address());
            assertThat(object.getLong(0)).isEqualTo(5);
        }
    }

    @Test
    void shouldRefuseWindowsWhereTheDriverHasNone() {
        object.putLong(Pd.CONTEXT, context.address());

        assertThatExceptionOfType(NativeException.class)
                .isThrownBy(() -> ibverbs.allocMw(object.address()))
                .withMessage("ibv_alloc_mw failed: Operation not supported (errno 95)");
    }

    /** What close(2) does with an address is to fail. */
    @Test
    void shouldTakeErrnoOfAnOperation() {
        object.putLong(Mw.CONTEXT, context.address());
        context.putLong(Context.DEALLOC_MW, c.getSymbolAddress("close"));

        assertThatExceptionOfType(NativeException.class)
                .isThrownBy(() -> ibverbs.deallocMw(object.address()))
                .withMessage("ibv_dealloc_mw failed: Bad file descriptor (errno 9)");
    }

    @Test
    void shouldKeepTheKeyOfAWindow() {
        ibverbs.setMwRkey(object.address(), 0xdead_beef);

        assertThat(ibverbs.mwRkey(object.address())).isEqualTo(0xdead_beef);
        assertThat(object.getInt(Mw.RKEY)).isEqualTo(0xdead_beef);
    }

    @Test
    void shouldTakeACompletionEventIfOneWaits() throws NativeException {
        library.on("ibv_get_cq_event", arguments -> {
            assertThat(arguments).containsExactly(1L, object.address(), object.address() + Long.BYTES);
            return 0;
        });
        assertThat(ibverbs.takeCqEvent(1, object.address())).isTrue();

        library.failing("ibv_get_cq_event", -1, NativeConstants.EAGAIN);
        assertThat(ibverbs.takeCqEvent(1, object.address())).isFalse();

        library.failing("ibv_get_cq_event", -1, NativeConstants.EIO);
        assertThatExceptionOfType(NativeException.class).isThrownBy(() -> ibverbs.takeCqEvent(1, object.address()));
    }

    @Test
    void shouldAcknowledgeAnAsynchronousEventWhenItIsPassedOn() throws NativeException {
        device.put(0, "port error".getBytes(StandardCharsets.UTF_8));
        library.on("ibv_get_async_event", arguments -> {
                    NativeMemory.putLong((long) arguments[1] + Layout.AsyncEvent.ELEMENT, 0x1234);
                    NativeMemory.putInt(
                            (long) arguments[1] + Layout.AsyncEvent.EVENT_TYPE, NativeConstants.IBV_EVENT_PORT_ERR);
                    return 0;
                })
                .on("ibv_event_type_str", arguments -> device.address());

        List<AsyncEvent> events = new ArrayList<>();
        assertThat(ibverbs.takeAsyncEvent(1, event -> {
                    assertThat(library.calls("ibv_ack_async_event")).isZero();
                    events.add(event);
                }))
                .isTrue();
        assertThat(events).containsExactly(new AsyncEvent(NativeConstants.IBV_EVENT_PORT_ERR, "port error", 0x1234));
        assertThat(library.calls("ibv_ack_async_event")).isEqualTo(1);

        assertThatIllegalStateException()
                .isThrownBy(() -> ibverbs.takeAsyncEvent(1, event -> {
                    throw new IllegalStateException("the target fails");
                }));
        assertThat(library.calls("ibv_ack_async_event")).isEqualTo(2);

        library.failing("ibv_get_async_event", -1, NativeConstants.EAGAIN);
        assertThat(ibverbs.takeAsyncEvent(1, events::add)).isFalse();
        assertThat(library.calls("ibv_ack_async_event")).isEqualTo(2);
    }
}
