package io.verbena.verbs.natives.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.verbs.Completion;
import io.verbena.verbs.ConnectionHandler;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.RdmaException;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The thread of a connection, over a device that completes to whom a test says. */
final class ReceiveThreadTest implements ConnectionHandler, ReceiveThread.Ending {
    private static final int DEPTH = 4;
    private static final long CONTEXT = 1;

    private final Thread test = Thread.currentThread();
    private final CountDownLatch sent = new CountDownLatch(1);
    private final CountDownLatch ended = new CountDownLatch(1);
    private ReceiveThread thread;
    private volatile boolean inHandler;
    private volatile boolean receiveTaken;
    private volatile boolean sendTaken;

    /** The receive to the test, which tells the thread of it; and the send to the handler that is told of the receive. */
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
        NativeMemory.putInt(completion + Layout.Wc.STATUS, Layout.IBV_WC_SUCCESS);
        return 1;
    }

    @Override
    public void onCompletions(Completion[] completions, int count) {
        if (completions[0].operation() == Completion.Operation.RECEIVE) {
            inHandler = true;
            thread.collect(); // as one does who waits for a bind
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
                .answering("createQp", arguments -> new CreatedQueuePair(8, (QueueLimits) arguments[3]))
                .as(Rdmacm.class);
        Natives natives = new Natives(verbs, cm, posix);
        DeviceAttributes attributes = new DeviceAttributes(false, "1", 1L << 40, 0, 64, 1, 64, 1, 0, 1, 1, 1, 0);
        Device device = new Device(CONTEXT, "hca0", attributes, Registration.REGION, "");
        QueuePair pair = new QueuePair(natives, device, 1, new ConnectionOptions(DEPTH, DEPTH, 1, 1, Map.of()));
        SendQueue sends =
                new SendQueue(verbs, 8, DEPTH, 1, 0, new SendRequests(DEPTH, 0), null, e -> {}, TrafficTest.UNOBSERVED);
        ReceiveQueue receives = new ReceiveQueue(verbs, 8, DEPTH, new ReceiveRequests(1, 0), TrafficTest.UNOBSERVED);
        Completions completions = new Completions(verbs, 1, sends, receives, null, this, 0);
        CompletionWait wait = new CompletionWait(natives, 1, 1);
        thread = new ReceiveThread(wait, pair, completions, sends, receives, this, this, false, 0, "test");
        sends.open(1);
        receives.post(1, 0, 10, 0, null, 0);
        sends.send(2, 0, 0, 10, 0, 0);
        thread.start();
        thread.established();

        thread.collect();

        assertThat(sent.await(10, TimeUnit.SECONDS)).isTrue();
        thread.close();
        thread.join();
        assertThat(ended.getCount()).isZero();
        posix.close(channelFd);
    }
}
