package io.verbena.conformance;

import java.lang.reflect.InvocationHandler;
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
    private static final Set<String> RELEASES =
            Set.of("close", "invalidate", "release", "give", "shutdown", "shutdownNow", "isShutdown", "isTerminated");

    private final AtomicInteger passed = new AtomicInteger();
    private final Set<Class<?>> left = new HashSet<>();
    private final Set<Class<?>> safe = new HashSet<>();
    private final Set<Class<?>> included = new HashSet<>();
    private final Set<Class<?>> taken = new HashSet<>();
    private volatile int failing;
    private volatile String failed = "nothing";

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

    /** Closes arguments of these types if their call fails: the service takes them over, also if it throws. */
    public HandOvers closing(Class<?>... types) {
        taken.addAll(Arrays.asList(types));
        return this;
    }

    /** Gives objects of these types of the JDK a proxy, too, such as executors. */
    public HandOvers including(Class<?>... types) {
        included.addAll(Arrays.asList(types));
        return this;
    }

    /** Lets the hand-over with this number fail, counted from 1 and from now on; 0 for none. */
    public void failAt(int number) {
        passed.set(0);
        failing = number;
    }

    /** What has failed: a method's name, or {@code nothing}. */
    public String failed() {
        return failed;
    }

    /** The number of hand-overs so far. */
    public int passed() {
        return passed.get();
    }

    private void pass(Method method) {
        if (!safe.contains(method.getDeclaringClass())) {
            pass(method.getName());
        }
    }

    /**
     * Counts a hand-over for which there is no proxy, such as a call of a class.
     *
     * @throws OutOfMemoryError if it is the one that fails
     */
    public void pass(String what) {
        if (RELEASES.contains(what)) {
            return;
        }
        int number = passed.incrementAndGet();
        if (number == failing) {
            failed = what;
            throw new OutOfMemoryError("injected at hand-over " + number + ", " + what);
        }
    }

    /** A proxy of {@code real}. Its methods may fail, and so may those of its arguments and results. */
    public <T> T through(Class<T> type, T real) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, new Handler(real)));
    }

    /** The proxies of one object are equal, since a service may hand out the object more than once. */
    private final class Handler implements InvocationHandler {
        private final Object real;

        Handler(Object real) {
            this.real = real;
        }

        @Override
        public Object invoke(Object proxy, Method method, Object[] args) throws Throwable {
            if (method.getDeclaringClass() == Object.class) {
                return switch (method.getName()) {
                    case "equals" -> isFor(args[0]);
                    case "hashCode" -> System.identityHashCode(real);
                    default -> real.toString();
                };
            }
            return HandOvers.this.invoke(real, method, args);
        }

        private boolean isFor(Object other) {
            return other != null
                    && Proxy.isProxyClass(other.getClass())
                    && Proxy.getInvocationHandler(other) instanceof Handler handler
                    && handler.real == real;
        }
    }

    private Object invoke(Object real, Method method, Object[] args) throws Throwable {
        Object[] given = args == null ? new Object[0] : args.clone();
        try {
            pass(method);
        } catch (OutOfMemoryError e) {
            closeTaken(method, given);
            throw e;
        }
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
        boolean service = value != null
                && type.isInterface()
                && !type.isSealed()
                && (type.getName().startsWith("io.verbena.") || included.contains(type));
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

    private void closeTaken(Method method, Object[] given) {
        for (int i = 0; i < given.length; i++) {
            if (taken.contains(method.getParameterTypes()[i])) {
                release(given[i]);
            }
        }
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
