package io.verbena.rpcrdma.v2.internal;

import io.verbena.conformance.Proves;
import io.verbena.rpcrdma.FramingMutationContract;

@Proves("V2-4.2.3-1")
class VersionTwoMutationTest extends FramingMutationContract {
    VersionTwoMutationTest() {
        super(
                new VersionTwoFraming(),
                "3 2 32 0 0 1 PHLOO 1 PHLOO 1 PHLOO 0 1 3 HLOO HLOO HLOO 1 2 HLOO HLOO 0 1 2 HLOO HLOO",
                "1 2 32 0 0 0 0 0",
                "2 2 32 0 1 1 PHLOO 0 0 0",
                "4 2 32 1 1 1 PHLOO 0 0 1 1 HLOO",
                "5 2 32 1 0 0 1 1 HLOO 0 1 4 HLOO HLOO HLOO HLOO",
                "6 2 32 4 1 1 2",
                "7 1 32 4 1 1 1",
                "8 2 32 4 2",
                "9 2 32 4 3",
                "10 2 32 5 0 77 0",
                "11 2 32 5 1 78 3 0x01020300",
                "12 2 32 5 1 78 16 HLOO 5 6 7",
                "13 2 32 0 1 0 1 0 1 0 1 0 0 1 0");
    }
}
