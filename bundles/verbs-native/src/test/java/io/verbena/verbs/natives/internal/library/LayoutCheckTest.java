package io.verbena.verbs.natives.internal.library;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.verbena.verbs.natives.internal.struct.CmLayout.CmId;
import io.verbena.verbs.natives.internal.struct.Layout.CompChannel;
import io.verbena.verbs.natives.internal.struct.Layout.Context;
import io.verbena.verbs.natives.internal.struct.Layout.Cq;
import io.verbena.verbs.natives.internal.struct.Layout.Device;
import io.verbena.verbs.natives.internal.struct.Layout.Mr;
import io.verbena.verbs.natives.internal.struct.Layout.Pd;
import io.verbena.verbs.natives.internal.struct.NativeConstants;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Structures are a map of addresses here, in which a test puts one value at a wrong address. */
final class LayoutCheckTest {
    private static final long CHANNEL = 0x1_0000;
    private static final long ID = 0x2_0000;
    private static final long CONTEXT = 0x3_0000;
    private static final long PD = 0x4_0000;
    private static final long MR = 0x5_0000;
    private static final long COMP_CHANNEL = 0x6_0000;
    private static final long CQ = 0x7_0000;
    private static final long DEVICE = 0x8_0000;
    private static final long FREE = -1;
    private static final int PORT = 20_049;

    private final Map<Long, Long> memory = new HashMap<>();
    private final FakeLibrary functions = new FakeLibrary();

    @BeforeEach
    void layOut() {
        memory.put(ID + CmId.PS, (long) NativeConstants.RDMA_PS_TCP);
        memory.put(ID + CmId.CHANNEL, CHANNEL);
        for (int operation : new int[] {Context.POLL_CQ, Context.REQ_NOTIFY_CQ, Context.POST_SEND, Context.POST_RECV}) {
            memory.put(CONTEXT + operation, 0x9999L);
        }
        memory.put(ID + CmId.VERBS, 0L);
        memory.put(ID + CmId.QP, 0L);
        memory.put(CONTEXT + Context.DEVICE, DEVICE);
        memory.put(DEVICE + Device.TRANSPORT_TYPE, 1L);
        memory.put(PD + Pd.CONTEXT, CONTEXT);
        memory.put(MR + Mr.PD, PD);
        memory.put(COMP_CHANNEL + CompChannel.CONTEXT, CONTEXT);
        memory.put(CQ + Cq.CONTEXT, CONTEXT);
        memory.put(CQ + Cq.CHANNEL, COMP_CHANNEL);
        memory.put(CQ + Cq.CQE, 31L);
        functions
                .on("deviceNameAddress", arguments -> (long) arguments[0] + Device.NAME)
                .on("localPort", arguments -> PORT)
                .answering("localAddress", arguments -> new InetSocketAddress(PORT))
                .on("createEventChannel", arguments -> CHANNEL)
                .on("createId", arguments -> {
                    memory.putIfAbsent(ID + CmId.CONTEXT, (long) arguments[1]);
                    return ID;
                })
                .on("devices", arguments -> CONTEXT)
                .on("allocPd", arguments -> PD)
                .on("regMr", arguments -> {
                    memory.putIfAbsent(MR + Mr.ADDR, (long) arguments[1]);
                    memory.putIfAbsent(MR + Mr.LENGTH, (long) arguments[2]);
                    return MR;
                })
                .on("createCompChannel", arguments -> COMP_CHANNEL)
                .on("createCq", arguments -> CQ);
    }

    @Test
    void shouldTakeLibrariesThatAreAsTheTableSays() throws NativeUnavailableException {
        check();

        for (String undone : new String[] {
            "destroyId",
            "destroyEventChannel",
            "releaseDevices",
            "deallocPd",
            "deregMr",
            "destroyCompChannel",
            "destroyCq"
        }) {
            assertThat(functions.calls(undone)).as(undone).isEqualTo(1);
        }
    }

    static long[][] members() {
        return new long[][] {
            {ID + CmId.CHANNEL},
            {ID + CmId.CONTEXT},
            {ID + CmId.PS},
            {CONTEXT + Context.DEVICE},
            {CONTEXT + Context.POLL_CQ},
            {CONTEXT + Context.REQ_NOTIFY_CQ},
            {CONTEXT + Context.POST_SEND},
            {CONTEXT + Context.POST_RECV},
            {PD + Pd.CONTEXT},
            {MR + Mr.PD},
            {MR + Mr.ADDR},
            {MR + Mr.LENGTH},
            {COMP_CHANNEL + CompChannel.CONTEXT},
            {CQ + Cq.CONTEXT},
            {CQ + Cq.CHANNEL},
            {CQ + Cq.CQE},
        };
    }

    @ParameterizedTest
    @MethodSource("members")
    void shouldRefuseLibrariesThatLayOutOtherwise(long[] member) {
        memory.put(member[0], 0L);

        assertThatExceptionOfType(NativeUnavailableException.class)
                .isThrownBy(this::check)
                .withMessageStartingWith("RDMA devices cannot be used: the installed libibverbs and librdmacm lay out "
                        + "their structures in a way that is not known");
        assertThat(functions.calls("destroyEventChannel")).isEqualTo(1);
    }

    static String[] results() {
        return new String[] {"deviceNameAddress", "localPort", "pollCq", "reqNotifyCq"};
    }

    @ParameterizedTest
    @MethodSource("results")
    void shouldRefuseLibrariesThatAnswerOtherwise(String function) {
        functions.on(function, arguments -> 4711);

        assertThatExceptionOfType(NativeUnavailableException.class)
                .isThrownBy(this::check)
                .withMessageContaining("lay out their structures in a way that is not known");
    }

    @ParameterizedTest
    @ValueSource(longs = {ID + CmId.VERBS, ID + CmId.QP, DEVICE + Device.TRANSPORT_TYPE})
    void shouldRefuseValuesThatCannotBe(long member) {
        memory.put(member, 77L);

        assertThatExceptionOfType(NativeUnavailableException.class)
                .isThrownBy(this::check)
                .withMessageContaining("lay out their structures in a way that is not known");
    }

    @Test
    void shouldRefuseADescriptorThatIsNone() {
        functions.failing("asyncFd", new NativeException("fcntl", 9, "Bad file descriptor"));

        assertThatExceptionOfType(NativeUnavailableException.class)
                .isThrownBy(this::check)
                .withMessageContaining("(ibv_context.async_fd)");
    }

    @ParameterizedTest
    @ValueSource(strings = {"createEventChannel", "createId", "devices"})
    void shouldTakeAHostWithoutDevices(String function) throws NativeUnavailableException {
        for (int errno : new int[] {NativeConstants.ENODEV, NativeConstants.ENOENT, NativeConstants.ENOSYS}) {
            functions.failing(function, new NativeException(function, errno, "none"));
            memory.remove(MR + Mr.ADDR);
            check();
        }
        assertThat(functions.calls("destroyEventChannel")).isEqualTo(function.equals("createEventChannel") ? 0 : 3);
    }

    @ParameterizedTest
    @ValueSource(strings = {"bindAddr", "allocPd", "regMr", "createCompChannel", "createCq", "deregMr", "destroyCq"})
    void shouldNotTakeAFailureForAbsence(String function) {
        functions.failing(function, new NativeException(function, NativeConstants.ENODEV, "No such device"));

        assertThatExceptionOfType(NativeUnavailableException.class)
                .isThrownBy(this::check)
                .withMessage("RDMA devices cannot be used: " + function + " failed: No such device (errno 19)");
    }

    @Test
    void shouldNotHideARefusalBehindWhatFailsAfterIt() {
        memory.put(MR + Mr.PD, 0L);
        functions.failing("deregMr", new NativeException("ibv_dereg_mr", NativeConstants.ENODEV, "No such device"));

        assertThatExceptionOfType(NativeUnavailableException.class)
                .isThrownBy(this::check)
                .withMessageContaining("(ibv_mr.pd)")
                .satisfies(e -> assertThat(e.getSuppressed()).hasSize(1));
    }

    private void check() throws NativeUnavailableException {
        new LayoutCheck(functions.as(Ibverbs.class), functions.as(Rdmacm.class), reader()).run();
    }

    private LayoutCheck.Reader reader() {
        return new LayoutCheck.Reader() {
            @Override
            public int getInt(long address) {
                return (int) getLong(address);
            }

            @Override
            public long getLong(long address) {
                return memory.getOrDefault(address, FREE);
            }
        };
    }
}
