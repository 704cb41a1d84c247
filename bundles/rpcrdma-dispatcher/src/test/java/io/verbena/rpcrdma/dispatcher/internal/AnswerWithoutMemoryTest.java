package io.verbena.rpcrdma.dispatcher.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.memory.MemoryBudget;
import io.verbena.memory.MemoryRefusedException;
import io.verbena.memory.MemoryShare;
import io.verbena.memory.internal.DirectMemory;
import io.verbena.rpc.ConnectionObserver;
import io.verbena.rpc.RpcCall;
import io.verbena.rpc.RpcConnection;
import io.verbena.rpc.RpcListener;
import io.verbena.rpcrdma.cm.internal.PrivateDataNegotiator;
import io.verbena.rpcrdma.dispatcher.internal.base.TransportLimits;
import io.verbena.rpcrdma.v1.internal.VersionOneFraming;
import io.verbena.runtime.SystemRuntime;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/**
 * There is no memory for an answer, and then no thread to wait for it with: the connection ends, and nothing is kept.
 */
class AnswerWithoutMemoryTest {
    private final AtomicBoolean isShort = new AtomicBoolean();
    private final AtomicBoolean hasThrown = new AtomicBoolean();

    @SuppressWarnings("unchecked")
    private <T> T through(Class<T> type, T target) {
        return (T) Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (self, method, arguments) -> {
            if (method.getName().equals("lease") && isShort.get()) {
                throw new MemoryRefusedException("short", (int) arguments[0]);
            }
            if (method.getName().equals("request") && isShort.getAndSet(false)) {
                hasThrown.set(true);
                throw new OutOfMemoryError("unable to create native thread"); // as ScheduledThreadPoolExecutor.schedule
            }
            try {
                Object value = method.invoke(target, arguments);
                return value instanceof MemoryShare share ? through(MemoryShare.class, share) : value;
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        });
    }

    @Test
    void shouldEndTheRequest() throws Exception {
        MemoryFabric fabric = new MemoryFabric();
        DirectMemory memory = new DirectMemory(64 << 20);
        RdmaRpcTransport server = new RdmaRpcTransport(
                new SystemRuntime(),
                TransportLimits.DEFAULT,
                through(MemoryBudget.class, memory),
                fabric,
                List.of(new VersionOneFraming()),
                new PrivateDataNegotiator());
        RdmaRpcTransport client = TransportPair.transport(TransportLimits.DEFAULT, fabric);
        boolean isAnswered;
        try {
            RpcListener listener = server.listen(TransportPair.listenOptions(8, Map.of()), new EchoProgram());
            RpcConnection connection = client.connect(
                    TransportPair.options(listener.localAddress(), 8, ConnectionObserver.NONE, Map.of()));
            TransportPair.callNull(connection);
            RpcCall call = TransportPair.call(EchoProgram.READ).maxReplySize(200_000);
            call.arguments().putInt(1).putInt(100_000).putInt(0).putInt(5);
            isShort.set(true);
            CompletableFuture<String> reply = connection.call(call, in -> "done");
            isAnswered = reply.handle((value, thrown) -> true)
                    .completeOnTimeout(false, 10, TimeUnit.SECONDS)
                    .get();
        } finally {
            client.close();
            server.close();
        }
        fabric.awaitAllEnded();
        long left = memory.leasedBytes();
        assertThat(hasThrown).isTrue();
        assertThat(List.of("answered or ended: " + isAnswered, "leased at the end: " + left))
                .containsExactly("answered or ended: true", "leased at the end: 0");
    }
}
