package io.verbena.verbs.natives.internal.library;

import com.kenai.jffi.CallContext;
import com.kenai.jffi.CallingConvention;
import com.kenai.jffi.Invoker;
import com.kenai.jffi.Type;
import java.util.Arrays;

/**
 * Calls a function by its address, through jffi, the layer below jnr-ffi. Such a call costs as much as a call by name
 * and allocates nothing; a delegate of jnr-ffi costs more than twice as much. Ints are passed as longs, which the
 * calling conventions of both architectures allow.
 */
final class FunctionPointer {
    private static final Invoker INVOKER = Invoker.getInstance();
    private static final CallContext ONE = context(1);
    private static final CallContext TWO = context(2);
    private static final CallContext THREE = context(3);

    private FunctionPointer() {}

    private static CallContext context(int arguments) {
        Type[] types = new Type[arguments];
        Arrays.fill(types, Type.SINT64);
        boolean saveErrno = true;
        return CallContext.getCallContext(Type.SINT64, types, CallingConvention.DEFAULT, saveErrno);
    }

    static int call1(long function, long first) {
        return (int) INVOKER.invokeL1(ONE, function, first);
    }

    static int call2(long function, long first, long second) {
        return (int) INVOKER.invokeL2(TWO, function, first, second);
    }

    static int call3(long function, long first, long second, long third) {
        return (int) INVOKER.invokeL3(THREE, function, first, second, third);
    }

    static long pointer2(long function, long first, long second) {
        return INVOKER.invokeL2(TWO, function, first, second);
    }
}
