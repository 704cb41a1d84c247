package io.verbena.nfs41.client.internal.testing;

import io.verbena.rpc.RpcConnection;
import io.verbena.rpc.RpcTransport;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/** A transport, the close of whose connections waits until so many others are closed at the same time. */
public final class ClosingTogether {
    private static final long SECONDS = 10;

    /** Why a connection was closed alone. */
    public final Queue<Throwable> alone = new ConcurrentLinkedQueue<>();

    public final RpcTransport transport;

    private final CyclicBarrier together;

    public ClosingTogether(RpcTransport to, int connections) {
        together = new CyclicBarrier(connections);
        transport = between(
                RpcTransport.class,
                to,
                method -> {},
                result -> result instanceof RpcConnection made ? connection(made) : result);
    }

    private static <T> T between(Class<T> type, T to, Consumer<Method> before, UnaryOperator<Object> after) {
        return type.cast(
                Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    if (method.getName().equals("equals")) {
                        return proxy == arguments[0];
                    }
                    before.accept(method);
                    try {
                        return after.apply(method.invoke(to, arguments));
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                }));
    }

    private RpcConnection connection(RpcConnection to) {
        AtomicBoolean isClosed = new AtomicBoolean();
        return between(
                RpcConnection.class,
                to,
                method -> {
                    if (method.getName().equals("close") && !isClosed.getAndSet(true)) {
                        meet();
                    }
                },
                result -> result);
    }

    private void meet() {
        try {
            int unused = together.await(SECONDS, TimeUnit.SECONDS);
        } catch (Exception e) {
            alone.add(e);
        }
    }
}
