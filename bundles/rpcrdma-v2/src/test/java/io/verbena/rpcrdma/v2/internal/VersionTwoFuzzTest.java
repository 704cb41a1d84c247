package io.verbena.rpcrdma.v2.internal;

import io.verbena.fuzzing.Fuzzer;
import io.verbena.rpcrdma.Direction;
import io.verbena.rpcrdma.FramingTarget;
import io.verbena.rpcrdma.HeaderError;
import io.verbena.rpcrdma.MessageType;
import org.junit.jupiter.api.Test;

/** Version Two headers of all four procedures. */
class VersionTwoFuzzTest {
    @Test
    void shouldRefuseOrDecodeWhateverComes() {
        Fuzzer.run(
                "v2",
                new FramingTarget(
                        new VersionTwoFraming(),
                        new MessageType[] {
                            MessageType.MSG, MessageType.NOMSG, MessageType.ERROR, MessageType.OPTIONAL, MessageType.MSG
                        },
                        new HeaderError[] {HeaderError.VERSION, HeaderError.BAD_HEADER, HeaderError.INVALID_OPTION},
                        new Direction[] {Direction.CALL, Direction.REPLY}));
    }
}
