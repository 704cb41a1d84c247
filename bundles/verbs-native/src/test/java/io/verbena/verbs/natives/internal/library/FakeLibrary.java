package io.verbena.verbs.natives.internal.library;

import com.kenai.jffi.LastError;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.ToLongFunction;

/**
 * An interface to C whose results a test sets. A function without a set result returns 0, which is success. Any thread.
 */
public final class FakeLibrary {
    /** The result of a function. */
    public interface Answer {
        Object apply(Object[] arguments) throws NativeException;
    }

    private final Map<String, ToLongFunction<Object[]>> functions = new ConcurrentHashMap<>();
    private final Map<String, Answer> answers = new ConcurrentHashMap<>();
    private final Map<String, NativeException> failures = new ConcurrentHashMap<>();
    private final Map<String, Integer> calls = new ConcurrentHashMap<>();

    public FakeLibrary on(String name, ToLongFunction<Object[]> function) {
        functions.put(name, function);
        return this;
    }

    /** Makes the function return a value and set an error number. */
    FakeLibrary failing(String name, long result, int errno) {
        return on(name, arguments -> {
            LastError.getInstance().set(errno);
            return result;
        });
    }

    /** Sets a result that is not a number. */
    public FakeLibrary answering(String name, Answer function) {
        answers.put(name, function);
        return this;
    }

    /** Makes the function throw. */
    public FakeLibrary failing(String name, NativeException failure) {
        failures.put(name, failure);
        return this;
    }

    public int calls(String name) {
        return calls.getOrDefault(name, 0);
    }

    public <T> T as(Class<T> type) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, args) -> {
            calls.merge(method.getName(), 1, Integer::sum);
            if (failures.containsKey(method.getName())) {
                throw failures.get(method.getName());
            }
            if (answers.containsKey(method.getName())) {
                return answers.get(method.getName()).apply(args);
            }
            ToLongFunction<Object[]> function = functions.getOrDefault(method.getName(), arguments -> 0);
            long result = function.applyAsLong(args);
            if (method.getReturnType() == int.class) {
                return (int) result;
            }
            if (method.getReturnType() == boolean.class) {
                return result != 0;
            }
            if (method.getReturnType() == long[].class) {
                return new long[] {result};
            }
            return method.getReturnType() == long.class ? result : null;
        }));
    }
}
