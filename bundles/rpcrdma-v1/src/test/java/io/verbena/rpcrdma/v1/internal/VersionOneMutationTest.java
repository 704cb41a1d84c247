package io.verbena.rpcrdma.v1.internal;

import io.verbena.conformance.Proves;
import io.verbena.rpcrdma.FramingMutationContract;

@Proves("V1-5.5-1")
class VersionOneMutationTest extends FramingMutationContract {
    VersionOneMutationTest() {
        super(
                new VersionOneFraming(),
                "3 1 32 0 1 PHLOO 1 PHLOO 1 PHLOO 0 1 3 HLOO HLOO HLOO 1 2 HLOO HLOO 0 1 2 HLOO HLOO",
                "1 1 32 0 0 0 0",
                "2 1 32 0 1 PHLOO 0 0 0",
                "4 1 32 1 1 PHLOO 0 0 1 1 HLOO",
                "5 1 32 1 0 1 1 HLOO 0 1 4 HLOO HLOO HLOO HLOO",
                "6 1 32 2 64 1024 1 PHLOO 0 0 0",
                "7 1 32 3",
                "8 1 32 4 1 1 2",
                "9 2 32 4 1 1 1",
                "10 1 32 4 2",
                "11 1 32 0 0 1 0 1 0 1 0 0 1 0");
    }
}
