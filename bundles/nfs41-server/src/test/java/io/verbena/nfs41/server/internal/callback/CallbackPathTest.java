package io.verbena.nfs41.server.internal.callback;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.nfs41.CallbackSecurity;
import io.verbena.nfs41.CbCompound;
import io.verbena.nfs41.CbSequence;
import io.verbena.nfs41.ChannelAttributes;
import io.verbena.nfs41.Compound;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.SessionId;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.server.internal.testing.UnspeakableError;
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
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;

/** An Error on the way of a callback: it ends no other callback, and no slot. */
class CallbackPathTest {
    private static final ChannelAttributes CHANNEL = new ChannelAttributes(0, 4096, 4096, 4096, 2, 1, Optional.empty());

    private final List<String> told = new ArrayList<>();
    private final CallbackPath path = new CallbackPath();

    private BackChannel channel(Executor later) {
        CallbackTarget target = CallbackTarget.of(7, List.of(CallbackSecurity.NONE));
        BackChannel channel = new BackChannel(new SessionId(1, 2), target, CHANNEL, Duration.ofSeconds(1), path, later);
        path.add(channel);
        return channel;
    }

    /** A connection whose calls the test answers. */
    private static final class Connection implements RpcPeer {
        private final List<CbSequence.Args> calls = new ArrayList<>();
        private Answer last;

        private interface Answer {
            void with(byte[] results, Exception failure) throws IOException;
        }

        @Override
        public long connectionId() {
            return 1;
        }

        @Override
        public SocketAddress remoteAddress() {
            return new InetSocketAddress("0.0.0.0", 0);
        }

        @Override
        public <T> CompletableFuture<T> call(RpcCall call, ReplyDecoder<T> decoder) {
            CompletableFuture<T> answered = new CompletableFuture<>();
            last = (results, failure) -> {
                if (failure != null) {
                    answered.completeExceptionally(failure);
                } else {
                    answered.complete(decoder.decode(new XdrReader(ByteBuffer.wrap(results))));
                }
            };
            calls.add(sequence(call));
            return answered;
        }

        private static CbSequence.Args sequence(RpcCall call) {
            XdrReader in = new XdrReader(ByteBuffer.wrap(call.message().toByteArray()));
            try {
                RpcMessages.CallHeader unused = RpcMessages.readCall(in);
                CbCompound.Args head = CbCompound.decodeArgs(in);
                assertThat(head.operations()).isEqualTo(CallbackAnswer.OPERATIONS);
                assertThat(in.getInt()).isEqualTo(Opcode.CB_SEQUENCE);
                return CbSequence.decodeArgs(in);
            } catch (IOException e) {
                throw new AssertionError("the callback cannot be read", e);
            }
        }

        void lose() throws IOException {
            last.with(null, new TransportLostException("cut", null));
        }

        /** CB_SEQUENCE fails so. */
        void refuse(Status status) throws IOException {
            XdrWriter out = new XdrWriter();
            int at = Compound.encodeResult(out, "");
            Compound.encodeFailure(out, Opcode.CB_SEQUENCE, status);
            Compound.finishResult(out, at, "", status, 1);
            last.with(out.toByteArray(), null);
        }

        @Override
        public void disconnect() {
            throw new UnsupportedOperationException();
        }
    }

    /** A callback with a name, whose operation has no arguments. */
    private class Named implements Callback {
        private final String name;

        Named(String name) {
            this.name = name;
        }

        @Override
        public int opcode() {
            return Opcode.CB_RECALL;
        }

        @Override
        public void encodeArgs(XdrWriter out) {
            out.putInt(opcode());
        }

        @Override
        public List<CbSequence.ReferringCallList> referrals() {
            return List.of();
        }

        @Override
        public boolean isWanted() {
            return true;
        }

        @Override
        public void answered(Status status) {
            told.add(name + " " + status);
        }

        @Override
        public void failed() {
            told.add(name + " failed");
        }
    }

    @Test
    void shouldCallABusyClientAgainAtOnceWhereThereIsNoThreadForThePause() throws Exception {
        BackChannel channel = channel(task -> {
            throw new OutOfMemoryError("unable to create native thread");
        });
        Connection first = new Connection();
        channel.bind(first);
        path.call(new Named("recall"));
        first.lose();
        Connection second = new Connection();
        channel.bind(second);
        second.refuse(Status.NFS4ERR_DELAY);
        assertThat(second.calls).hasSize(2);
        assertThat(second.calls.get(1)).isEqualTo(first.calls.get(0));
        assertThat(channel.isUp()).isTrue();
    }

    @Test
    void shouldUseASlotAgainThatWasNotEntered() {
        BackChannel channel = channel(Runnable::run);
        Connection connection = new Connection();
        channel.bind(connection);
        Callback callback = new Named("recall") {
            private boolean hasFailed;

            @Override
            public List<CbSequence.ReferringCallList> referrals() {
                if (!hasFailed) {
                    hasFailed = true;
                    throw new NoClassDefFoundError("as a test has it");
                }
                return List.of();
            }
        };
        assertThatThrownBy(() -> path.call(callback)).isInstanceOf(NoClassDefFoundError.class);
        path.call(new Named("another"));
        assertThat(connection.calls).hasSize(1);
        assertThat(connection.calls.get(0).sequenceId()).isEqualTo(1);
        assertThat(channel.isUp()).isTrue();
    }

    @Test
    void shouldCallForTheOthersThatHaveWaitedWhereOneFails() {
        path.call(new Named("first") {
            @Override
            public boolean isWanted() {
                throw new UnspeakableError();
            }
        });
        path.call(new Named("second"));
        Connection connection = new Connection();
        channel(Runnable::run).bind(connection);
        assertThat(told).containsExactly("first failed");
        assertThat(connection.calls).hasSize(1);
    }
}
