package io.verbena.nfs41.server.internal.vfs;

import io.verbena.dirfd.Directory;
import io.verbena.dirfd.FileReference;
import io.verbena.dirfd.FileStatus;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Optional;

/** Directories and references that behave as a test wants, and as the file system's else. */
public final class Intercepted {
    private Intercepted() {}

    /** What a call answers. */
    public interface Interceptor {
        /**
         * @param method the name of the method of {@link Directory} or {@link FileReference}
         * @param real makes the call
         */
        Object call(Object target, String method, Call real) throws Throwable;
    }

    /** A call of the file system. */
    public interface Call {
        Object make() throws Throwable;
    }

    public static Directory directory(Directory real, Interceptor interceptor) {
        return (Directory) of(real, Directory.class, interceptor);
    }

    /** The file system takes only objects of its own as arguments. */
    private record Handler(Object real, Interceptor interceptor) implements InvocationHandler {
        private static Object[] unwrapped(Object[] args) {
            Object[] plain = args == null ? new Object[0] : args.clone();
            for (int i = 0; i < plain.length; i++) {
                if (plain[i] != null
                        && Proxy.isProxyClass(plain[i].getClass())
                        && Proxy.getInvocationHandler(plain[i]) instanceof Handler handler) {
                    plain[i] = handler.real;
                }
            }
            return plain;
        }

        @Override
        public Object invoke(Object proxy, Method method, Object[] args) throws Throwable {
            Object result = interceptor.call(real, method.getName(), () -> {
                try {
                    return method.invoke(real, unwrapped(args));
                } catch (InvocationTargetException e) {
                    throw e.getCause();
                }
            });
            if (result instanceof Directory directory) {
                return of(directory, Directory.class, interceptor);
            } else if (result instanceof FileReference reference) {
                return of(reference, FileReference.class, interceptor);
            } else if (result instanceof Optional<?> optional) {
                return optional.map(each -> of(each, FileReference.class, interceptor));
            }
            return result;
        }
    }

    private static Object of(Object real, Class<?> type, Interceptor interceptor) {
        return Proxy.newProxyInstance(
                Directory.class.getClassLoader(), new Class<?>[] {type}, new Handler(real, interceptor));
    }

    static FileStatus withMode(FileStatus status, int mode) {
        return new FileStatus(
                status.device(),
                status.ino(),
                mode,
                status.linkCount(),
                status.uid(),
                status.gid(),
                status.rdev(),
                status.size(),
                status.allocated(),
                status.accessed(),
                status.modified(),
                status.changed(),
                status.created());
    }
}
