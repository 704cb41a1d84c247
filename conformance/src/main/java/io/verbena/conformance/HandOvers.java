package io.verbena.conformance;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Counts the hand-overs between the code under test and the services around it, and throws an Error at one of them.
 * Hand-overs are calls of a service, calls by a service of objects that it was given, and outcomes. A run without
 * failures counts the hand-overs; then each of them fails once in a further run. Methods that release something must
 * not fail, and do not fail here.
 */
public final class HandOvers {
    private static final Set<String> RELEASES = Set.of("close", "invalidate", "release", "give");

    private final AtomicInteger passed = new AtomicInteger();
    private final Set<Class<?>> left = new HashSet<>();
    private final Set<Class<?>> safe = new HashSet<>();
    private volatile int failing;

    /**
     * Passes objects of these types on without a proxy, because the receiver needs its own objects or is not under
     * test.
     */
    public HandOvers leaving(Class<?>... types) {
        left.addAll(Arrays.asList(types));
        return this;
    }

    /** Lets calls of these types succeed; calls of the objects that they return may fail. */
    public HandOvers sparing(Class<?>... types) {
        safe.addAll(Arrays.asList(types));
        return this;
    }

    /** Lets the hand-over with this number fail, counted from 1 and from now on; 0 for none. */
    public void failAt(int number) {
        passed.set(0);
        failing = number;
    }

    /** The number of hand-overs so far. */
    public int passed() {
        return passed.get();
    }

    private void pass(Method method) {
        if (RELEASES.contains(method.getName()) || safe.contains(method.getDeclaringClass())) {
            return;
        }
        int number = passed.incrementAndGet();
        if (number == failing) {
            throw new OutOfMemoryError("injected at hand-over " + number + ", " + method.getName());
        }
    }

    /** A proxy of {@code real}. Its methods may fail, and so may those of its arguments and results. */
    public <T> T through(Class<T> type, T real) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                (proxy, method, args) -> invoke(proxy, real, method, args)));
    }

    private Object invoke(Object proxy, Object real, Method method, Object[] args) throws Throwable {
        if (method.getDeclaringClass() == Object.class) {
            return switch (method.getName()) {
                case "equals" -> proxy == args[0];
                case "hashCode" -> System.identityHashCode(proxy);
                default -> real.toString();
            };
        }
        pass(method);
        Object[] given = args == null ? new Object[0] : args.clone();
        for (int i = 0; i < given.length; i++) {
            given[i] = wrapped(method.getParameterTypes()[i], given[i]);
        }
        Object result;
        try {
            method.setAccessible(true);
            result = method.invoke(real, given);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
        return result instanceof CompletableFuture<?> future
                ? failing(method, future)
                : wrapped(method.getReturnType(), result);
    }

    private <T> Object wrapped(Class<T> type, Object value) {
        boolean service = value != null && type.isInterface() && type.getName().startsWith("io.verbena.");
        return service && !left.contains(type) ? through(type, type.cast(value)) : value;
    }

    private <T> CompletableFuture<T> failing(Method method, CompletableFuture<T> future) {
        return future.thenApply(value -> {
            boolean isPassed = false;
            try {
                pass(method);
                isPassed = true;
                return value;
            } finally {
                if (!isPassed) {
                    release(value);
                }
            }
        });
    }

    /** Releases a value that nobody receives, since nobody else can release it. */
    private static void release(Object value) {
        if (value instanceof AutoCloseable resource) {
            try {
                resource.close();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
