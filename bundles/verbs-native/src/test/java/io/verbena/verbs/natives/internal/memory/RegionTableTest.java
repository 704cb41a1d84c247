package io.verbena.verbs.natives.internal.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.verbs.Access;
import io.verbena.verbs.Completion;
import io.verbena.verbs.RdmaException;
import io.verbena.verbs.RdmaException.Kind;
import io.verbena.verbs.natives.internal.device.Device;
import io.verbena.verbs.natives.internal.device.RegistrationMethod;
import io.verbena.verbs.natives.internal.library.DeviceAttributes;
import io.verbena.verbs.natives.internal.library.FakeLibrary;
import io.verbena.verbs.natives.internal.library.Ibverbs;
import io.verbena.verbs.natives.internal.library.NativeException;
import io.verbena.verbs.natives.internal.queue.ConnectionTapTest;
import io.verbena.verbs.natives.internal.queue.SendQueue;
import io.verbena.verbs.natives.internal.struct.NativeConstants;
import io.verbena.verbs.natives.internal.struct.SendRequests;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** How regions are registered and freed, over a library that records the calls. */
final class RegionTableTest {
    private static final int LARGEST_PAGE = 1 << 16;

    private final List<Long> registered = new ArrayList<>();
    private final List<Integer> rights = new ArrayList<>();
    private final List<RdmaException> brokenOff = new ArrayList<>();
    private final FakeLibrary verbs = new FakeLibrary()
            .on("regMr", arguments -> {
                registered.add((Long) arguments[1]);
                registered.add((Long) arguments[3]);
                rights.add((Integer) arguments[4]);
                return 1;
            })
            .on("lkey", arguments -> registered.size())
            .on("rkey", arguments -> registered.size());

    private RegionTable regions(RegistrationMethod registration) {
        DeviceAttributes attributes = new DeviceAttributes(false, "1", 1L << 40, 0, 1, 1, 1, 1, 0, 1, 1, 1, 0);
        Device device = new Device(1, "hca0", attributes, registration, "");
        Ibverbs library = verbs.as(Ibverbs.class);
        SendQueue[] sends = new SendQueue[1];
        SendQueue.CompletionPoller poller = () -> {
            sends[0].complete(1L << 62, Completion.Status.SUCCESS); // the bind that the test waits for
            return true;
        };
        sends[0] = new SendQueue(
                library, 1, 2, 4, 1, 0, new SendRequests(1, 0), poller, e -> {}, ConnectionTapTest.UNOBSERVED);
        sends[0].open(1);
        return new RegionTable(library, device, 1, sends[0], new RandomNumbers(), brokenOff::add);
    }

    private static ByteBuffer memory() {
        return ByteBuffer.allocateDirect(8);
    }

    /** Drivers refuse an address with another offset in the page, and pages have up to 64 KiB. */
    @Test
    void shouldKeepTheOffsetInThePageOfAnAddressForPeers() throws Exception {
        RegionTable regions = regions(RegistrationMethod.REGION);
        ByteBuffer memory = ByteBuffer.allocateDirect(LARGEST_PAGE);

        for (int offset = 0; offset < LARGEST_PAGE; offset += 4096) {
            registered.clear();
            regions.add(List.of(memory.position(offset)), Access.REMOTE_READ, false);

            assertThat(registered.get(1)).isNotEqualTo(registered.get(0));
            assertThat(registered.get(1) % LARGEST_PAGE).isEqualTo(registered.get(0) % LARGEST_PAGE);
        }
    }

    @Test
    void shouldLetOurselvesWriteToWhatThePeerMayRead() throws Exception {
        RegionTable regions = regions(RegistrationMethod.REGION);

        regions.add(List.of(memory()), Access.REMOTE_READ, false);
        regions.add(List.of(memory().asReadOnlyBuffer()), Access.REMOTE_READ, false);

        assertThat(rights)
                .containsExactly(
                        NativeConstants.IBV_ACCESS_LOCAL_WRITE | NativeConstants.IBV_ACCESS_REMOTE_READ,
                        NativeConstants.IBV_ACCESS_REMOTE_READ);
    }

    @Test
    void shouldEndTheConnectionWhereTheDeviceKeepsMemoryOpen() throws Exception {
        RegionTable regions = regions(RegistrationMethod.REGION);
        NativeRegion region = regions.add(List.of(memory()), Access.REMOTE_WRITE, false);
        verbs.answering("deregMr", arguments -> {
            if (verbs.calls("deregMr") == 1) {
                throw new NativeException("ibv_dereg_mr", NativeConstants.EINVAL, "Invalid argument");
            }
            return null;
        });

        region.invalidate();

        assertThat(region.isValid()).isFalse();
        assertThat(brokenOff).extracting(RdmaException::kind).containsExactly(Kind.RESOURCES);
        regions.closeWindows();
        regions.close();
        assertThat(verbs.calls("deregMr")).as("freed with the connection").isEqualTo(2);
        assertThat(brokenOff).hasSize(1);
    }

    @Test
    void shouldTakeBackAWindowAgainBeforeTheQueuePairGoes() throws Exception {
        RegionTable regions = regions(RegistrationMethod.WINDOW);
        NativeRegion region = regions.add(List.of(memory()), Access.REMOTE_WRITE, false);
        verbs.answering("deallocMw", arguments -> {
            if (verbs.calls("deallocMw") == 1) {
                throw new NativeException("ibv_dealloc_mw", NativeConstants.EINVAL, "Invalid argument");
            }
            return null;
        });

        region.invalidate();

        assertThat(brokenOff).hasSize(1);
        assertThat(verbs.calls("deregMr"))
                .as("of memory that the window still opens")
                .isZero();
        regions.closeWindows();
        assertThat(verbs.calls("deallocMw")).isEqualTo(2);
        assertThat(verbs.calls("deregMr")).isEqualTo(1);
    }

    @Test
    void shouldWaitForWhoeverTakesMemoryBack() throws Exception {
        RegionTable regions = regions(RegistrationMethod.REGION);
        NativeRegion region = regions.add(List.of(memory()), Access.REMOTE_WRITE, false);
        List<String> order = new CopyOnWriteArrayList<>();
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch leave = new CountDownLatch(1);
        verbs.on("deregMr", arguments -> {
            inside.countDown();
            await(leave);
            order.add("deregistered");
            return 0;
        });
        Thread first = new Thread(region::invalidate);
        first.start();
        await(inside);
        Thread second = new Thread(() -> {
            region.invalidate();
            order.add("returned");
        });
        second.start();
        awaitRest(second);
        leave.countDown();
        second.join(10_000);
        first.join(10_000);

        assertThat(order).containsExactly("deregistered", "returned");
    }

    @Test
    void shouldNotEndWhileAReadIsRegistered() throws Exception {
        RegionTable regions = regions(RegistrationMethod.REGION);
        NativeRegion region = regions.add(List.of(memory()), Access.LOCAL, false);
        List<String> order = new CopyOnWriteArrayList<>();
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch leave = new CountDownLatch(1);
        verbs.on("regMr", arguments -> {
                    inside.countDown();
                    await(leave);
                    return 2;
                })
                .on("postSend", arguments -> {
                    order.add("posted");
                    return 0;
                });
        Thread reading = new Thread(() -> {
            try {
                regions.read(1, region, 0, 8, 9, 10, 0, null);
            } catch (RdmaException e) {
                throw new AssertionError(e);
            }
        });
        reading.start();
        await(inside);
        Thread ending = new Thread(() -> {
            regions.closeWindows();
            order.add("closed");
        });
        ending.start();
        awaitRest(ending);
        leave.countDown();
        reading.join(10_000);
        ending.join(10_000);

        assertThat(order).containsExactly("posted", "closed");
        assertThatThrownBy(() -> regions.read(2, region, 0, 8, 9, 10, 0, null))
                .isInstanceOfSatisfying(
                        RdmaException.class, e -> assertThat(e.kind()).isEqualTo(Kind.DISCONNECTED));
    }

    /** Until it waits, or is over without that. */
    private static void awaitRest(Thread thread) {
        while (thread.getState() == Thread.State.NEW || thread.getState() == Thread.State.RUNNABLE) {
            Thread.onSpinWait();
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(10, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
