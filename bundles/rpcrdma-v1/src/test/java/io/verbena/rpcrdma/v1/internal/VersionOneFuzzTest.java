package io.verbena.rpcrdma.v1.internal;

import io.verbena.fuzzing.Fuzzer;
import io.verbena.fuzzing.capture.IwarpSends;
import io.verbena.fuzzing.capture.TcpCapture;
import io.verbena.rpcrdma.Direction;
import io.verbena.rpcrdma.FixedFields;
import io.verbena.rpcrdma.FramingTarget;
import io.verbena.rpcrdma.HeaderError;
import io.verbena.rpcrdma.MessageType;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/** Version One headers, including captured ones of Linux, and the two procedures that are only ever received. */
class VersionOneFuzzTest {
    private static final class Target extends FramingTarget {
        private final List<byte[]> captured = TcpCapture.read(TcpCapture.LINUX_NFS41_OVER_SIW).values().stream()
                .flatMap(stream -> IwarpSends.read(stream).stream())
                .map(sent -> sent.message().array())
                .toList();

        Target() {
            super(
                    new VersionOneFraming(),
                    new MessageType[] {MessageType.MSG, MessageType.MSG, MessageType.NOMSG, MessageType.ERROR},
                    new HeaderError[] {HeaderError.VERSION, HeaderError.BAD_HEADER},
                    new Direction[] {Direction.UNKNOWN});
        }

        @Override
        public byte[] sample(RandomGenerator random) {
            int choice = random.nextInt(8);
            if (choice < 2) {
                return captured.get(random.nextInt(captured.size()));
            }
            ByteBuffer sample = ByteBuffer.wrap(super.sample(random));
            if (choice == 2) {
                sample.putInt(FixedFields.PROCEDURE_OFFSET, VersionOneNumbers.RDMA_DONE);
            } else if (choice == 3 && FixedFields.procedure(sample, 0) != VersionOneNumbers.RDMA_ERROR) {
                ByteBuffer padded = ByteBuffer.allocate(sample.capacity() + 2 * Integer.BYTES);
                padded.put(0, sample, 0, FixedFields.LENGTH)
                        .putInt(FixedFields.PROCEDURE_OFFSET, VersionOneNumbers.RDMA_MSGP);
                int lists = FixedFields.LENGTH + 2 * Integer.BYTES;
                return padded.put(lists, sample, FixedFields.LENGTH, padded.capacity() - lists)
                        .array();
            }
            return sample.array();
        }
    }

    @Test
    void shouldRefuseOrDecodeWhateverComes() {
        Fuzzer.run("v1", new Target());
    }
}
