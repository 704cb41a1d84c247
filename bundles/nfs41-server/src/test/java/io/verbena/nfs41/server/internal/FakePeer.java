package io.verbena.nfs41.server.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nfs41.CbCompound;
import io.verbena.nfs41.CbRecall;
import io.verbena.nfs41.CbSequence;
import io.verbena.nfs41.Compound;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.Status;
import io.verbena.rpc.ReplyDecoder;
import io.verbena.rpc.RpcCall;
import io.verbena.rpc.RpcMessages;
import io.verbena.rpc.RpcPeer;
import io.verbena.rpc.TransportLostException;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** A connection without a transport: the test takes the calls that the server makes by it, and answers them. */
final class FakePeer implements RpcPeer {
    static final int PROGRAM = 0x40000000;

    private static final AtomicLong NUMBERS = new AtomicLong();

    private final long number = NUMBERS.incrementAndGet();
    private final InetSocketAddress address;
    private final BlockingQueue<Received> calls = new LinkedBlockingQueue<>();
    private final CountDownLatch disconnected = new CountDownLatch(1);
    private final AtomicInteger unanswered = new AtomicInteger();

    FakePeer() {
        this("0.0.0.0");
    }

    /** A connection from that address. */
    FakePeer(String address) {
        this.address = new InetSocketAddress(address, 0);
    }

    /** A CB_COMPOUND of CB_SEQUENCE and CB_RECALL. */
    final class Received {
        final RpcMessages.CallHeader header;
        final CbSequence.Args sequence;
        final CbRecall.Args recall;

        /** Whether it came while a request of this connection was without an answer. */
        final boolean isBeforeAnAnswer = unanswered.get() > 0;

        private final ReplyTo replyTo;

        private Received(RpcCall call, ReplyTo replyTo) throws IOException {
            this.replyTo = replyTo;
            XdrReader in = new XdrReader(ByteBuffer.wrap(call.message().toByteArray()));
            header = RpcMessages.readCall(in);
            assertThat(CbCompound.decodeArgs(in)).isEqualTo(new CbCompound.Args("", 1, 2));
            assertThat(in.getInt()).isEqualTo(Opcode.CB_SEQUENCE);
            sequence = CbSequence.decodeArgs(in);
            assertThat(in.getInt()).isEqualTo(Opcode.CB_RECALL);
            recall = CbRecall.decodeArgs(in);
            assertThat(in.remaining()).isZero();
        }

        /** CB_SEQUENCE succeeds, CB_RECALL is answered so. */
        void answer(Status status) throws IOException {
            answer(status, sequence.slotId(), 15);
        }

        void answer(Status status, int slotId, int targetHighestSlot) throws IOException {
            XdrWriter out = new XdrWriter();
            int at = Compound.encodeResult(out, "");
            CbSequence.encodeResult(
                    out,
                    new CbSequence.Result(sequence.sessionId(), sequence.sequenceId(), slotId, 15, targetHighestSlot));
            Compound.encodeFailure(out, Opcode.CB_RECALL, status);
            Compound.finishResult(out, at, "", status, 2);
            replyTo.reply(new XdrReader(ByteBuffer.wrap(out.toByteArray())));
        }

        /** The CB_COMPOUND succeeds, without CB_RECALL's result and maybe without CB_SEQUENCE's. */
        void answerInPart(int operations) throws IOException {
            XdrWriter out = new XdrWriter();
            int at = Compound.encodeResult(out, "");
            if (operations > 0) {
                CbSequence.encodeResult(
                        out,
                        new CbSequence.Result(sequence.sessionId(), sequence.sequenceId(), sequence.slotId(), 15, 15));
            }
            Compound.finishResult(out, at, "", Status.NFS4_OK, operations);
            replyTo.reply(new XdrReader(ByteBuffer.wrap(out.toByteArray())));
        }

        /** CB_SEQUENCE itself fails. */
        void refuse(Status status) throws IOException {
            XdrWriter out = new XdrWriter();
            int at = Compound.encodeResult(out, "");
            Compound.encodeFailure(out, Opcode.CB_SEQUENCE, status);
            Compound.finishResult(out, at, "", status, 1);
            replyTo.reply(new XdrReader(ByteBuffer.wrap(out.toByteArray())));
        }

        void fail(Exception failure) {
            replyTo.fail(failure);
        }

        void lose() {
            fail(new TransportLostException("connection " + number + " was cut", null));
        }
    }

    private interface ReplyTo {
        void reply(XdrReader results);

        void fail(Exception failure);
    }

    /** A request comes by this connection. */
    void asked() {
        unanswered.incrementAndGet();
    }

    /** A request that came by this connection has been answered. */
    void answered() {
        unanswered.decrementAndGet();
    }

    /** The next call. */
    Received take() throws Exception {
        Received call = calls.poll(20, TimeUnit.SECONDS);
        assertThat(call).as("a callback by connection %d", number).isNotNull();
        return call;
    }

    /** The next call, or null if there is none within that time. */
    Received poll(long millis) throws InterruptedException {
        return calls.poll(millis, TimeUnit.MILLISECONDS);
    }

    /** To be asked where the server has nothing under way. */
    boolean wasCalled() {
        return !calls.isEmpty();
    }

    @Override
    public long connectionId() {
        return number;
    }

    @Override
    public SocketAddress remoteAddress() {
        return address;
    }

    @Override
    public <T> CompletableFuture<T> call(RpcCall call, ReplyDecoder<T> decoder) {
        CompletableFuture<T> future = new CompletableFuture<>();
        ReplyTo replyTo = new ReplyTo() {
            @Override
            public void reply(XdrReader results) {
                awaitCaller(future);
                try {
                    future.complete(decoder.decode(results));
                } catch (IOException e) {
                    future.completeExceptionally(e); // as a transport does
                }
            }

            @Override
            public void fail(Exception failure) {
                awaitCaller(future);
                future.completeExceptionally(failure);
            }
        };
        try {
            calls.add(new Received(call, replyTo));
        } catch (IOException e) {
            throw new AssertionError("the server's callback cannot be read", e);
        }
        return future;
    }

    /** Until the server listens to what becomes of its call: what that brings about is then done on this thread. */
    private static void awaitCaller(CompletableFuture<?> future) {
        long start = System.nanoTime();
        while (future.getNumberOfDependents() == 0) {
            assertThat(System.nanoTime() - start).isLessThan(TimeUnit.SECONDS.toNanos(20));
            Thread.onSpinWait();
        }
    }

    @Override
    public void disconnect() {
        disconnected.countDown();
    }

    boolean isDisconnected() {
        return disconnected.getCount() == 0;
    }

    void awaitDisconnected() throws InterruptedException {
        assertThat(disconnected.await(20, TimeUnit.SECONDS))
                .as("the end of connection %d by the server", number)
                .isTrue();
    }
}
