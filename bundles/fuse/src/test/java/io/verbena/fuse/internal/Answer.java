package io.verbena.fuse.internal;

import java.io.IOException;
import java.lang.reflect.Proxy;

/** What an object of a test answers to the calls of an interface. */
public interface Answer {
    Object to(String method, Object[] args) throws IOException;

    /** An object of that type, which equals itself alone. */
    static <T> T as(Class<T> type, Answer answer) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                (self, method, args) ->
                        method.getName().equals("equals") ? self == args[0] : answer.to(method.getName(), args)));
    }
}
