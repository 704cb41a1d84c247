package io.verbena.verbs.natives.internal.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.verbs.Completion;
import io.verbena.verbs.ConnectionHandler;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.RdmaException;
import io.verbena.verbs.natives.internal.device.Device;
import io.verbena.verbs.natives.internal.device.RegistrationMethod;
import io.verbena.verbs.natives.internal.library.CLibrary;
import io.verbena.verbs.natives.internal.library.CreatedQueuePair;
import io.verbena.verbs.natives.internal.library.DeviceAttributes;
import io.verbena.verbs.natives.internal.library.FakeLibrary;
import io.verbena.verbs.natives.internal.library.Ibverbs;
import io.verbena.verbs.natives.internal.library.JnrPosix;
import io.verbena.verbs.natives.internal.library.NativeLibraries;
import io.verbena.verbs.natives.internal.library.Posix;
import io.verbena.verbs.natives.internal.library.QueueLimits;
import io.verbena.verbs.natives.internal.library.Rdmacm;
import io.verbena.verbs.natives.internal.queue.CompletionDelivery;
import io.verbena.verbs.natives.internal.queue.CompletionWait;
import io.verbena.verbs.natives.internal.queue.ConnectionTapTest;
import io.verbena.verbs.natives.internal.queue.QueuePair;
import io.verbena.verbs.natives.internal.queue.ReceiveQueue;
import io.verbena.verbs.natives.internal.queue.SendQueue;
import io.verbena.verbs.natives.internal.struct.Layout;
import io.verbena.verbs.natives.internal.struct.NativeConstants;
import io.verbena.verbs.natives.internal.struct.NativeMemory;
import io.verbena.verbs.natives.internal.struct.ReceiveRequests;
import io.verbena.verbs.natives.internal.struct.SendRequests;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The receive thread, over a device that returns completions to the thread that a test chooses. */
final class ReceiveThreadTest implements ConnectionHandler, ReceiveThread.Teardown {
    private static final int DEPTH = 4;
    private static final long CONTEXT = 1;

    private final Thread test = Thread.currentThread();
    private final CountDownLatch sent = new CountDownLatch(1);
    private final CountDownLatch ended = new CountDownLatch(1);
    private ReceiveThread thread;
    private volatile boolean inHandler;
    private volatile boolean receiveTaken;
    private volatile boolean sendTaken;

    /** A receive for the test, which notifies the thread; and a send for the handler that gets the receive. */
    private long poll(Object[] arguments) {
        long completion = (long) arguments[2];
        if (Thread.currentThread() == test && !receiveTaken) {
            receiveTaken = true;
            NativeMemory.putLong(completion + Layout.Wc.WR_ID, ReceiveQueue.RECEIVE);
        } else if (inHandler && !sendTaken) {
            sendTaken = true;
            NativeMemory.putLong(completion + Layout.Wc.WR_ID, 0);
        } else {
            return 0;
        }
        NativeMemory.putInt(completion + Layout.Wc.STATUS, NativeConstants.IBV_WC_SUCCESS);
        return 1;
    }

    @Override
    public void onCompletions(Completion[] completions, int count) {
        if (completions[0].operation() == Completion.Operation.RECEIVE) {
            inHandler = true;
            thread.pollCompletions(); // as a thread does that waits for a bind
            inHandler = false;
        } else {
            sent.countDown();
        }
    }

    @Override
    public void onDisconnected(RdmaException cause) {
        ended.countDown();
    }

    @Override
    public void refusePosts() {}

    @Override
    public void disconnect() {}

    @Override
    public void destroyQueues() {}

    @Override
    public void finish() {}

    @Test
    void shouldTellOfWhatItsHandlerHasCollectedBeforeItWaits() throws Exception {
        Posix posix = new JnrPosix(NativeLibraries.load(CLibrary.class, "libc.so.6"));
        int channelFd = posix.createEventFd();
        Ibverbs verbs = new FakeLibrary()
                .on("pollCq", this::poll)
                .on("compChannelFd", arguments -> channelFd)
                .as(Ibverbs.class);
        Rdmacm cm = new FakeLibrary()
                .answering("createQp", arguments -> new CreatedQueuePair(8, (QueueLimits) arguments[4]))
                .as(Rdmacm.class);
        NativeLibraries libraries = new NativeLibraries(verbs, cm, posix);
        DeviceAttributes attributes = new DeviceAttributes(false, "1", 1L << 40, 0, 64, 1, 64, 1, 0, 1, 1, 1, 0);
        Device device = new Device(CONTEXT, "hca0", attributes, RegistrationMethod.REGION, "");
        QueuePair pair = new QueuePair(libraries, device, 1, new ConnectionOptions(DEPTH, DEPTH, 1, 1, Map.of()));
        SendQueue sends = new SendQueue(
                verbs, 8, 2, DEPTH, 1, 0, new SendRequests(DEPTH, 0), null, e -> {}, ConnectionTapTest.UNOBSERVED);
        ReceiveQueue receives =
                new ReceiveQueue(verbs, 8, DEPTH, new ReceiveRequests(1, 0), ConnectionTapTest.UNOBSERVED);
        CompletionDelivery completions = new CompletionDelivery(verbs, 2, 3, sends, receives, null, this, 0);
        CompletionWait wait = new CompletionWait(libraries, pair, sends);
        thread = new ReceiveThread(wait, pair, completions, sends, receives, this, this, false, 0, "test");
        sends.open(1);
        receives.post(1, 0, 10, 0, null, 0);
        sends.send(2, 0, 0, 10, 0, 0);
        thread.start();
        thread.established();

        thread.pollCompletions();

        assertThat(sent.await(10, TimeUnit.SECONDS)).isTrue();
        thread.close();
        thread.join(Threads.endDeadline());
        assertThat(ended.getCount()).isZero();
        posix.close(channelFd);
    }
}
