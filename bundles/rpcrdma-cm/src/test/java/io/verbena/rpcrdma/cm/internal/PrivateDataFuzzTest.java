package io.verbena.rpcrdma.cm.internal;

import io.verbena.fuzzing.FuzzTarget;
import io.verbena.fuzzing.Fuzzer;
import io.verbena.rpcrdma.ConnectionSettings;
import io.verbena.rpcrdma.LocalSettings;
import java.nio.ByteBuffer;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/** CM private data: any octets yield settings within the capabilities of this end. */
class PrivateDataFuzzTest {
    private static final class Target implements FuzzTarget {
        private static final int LONGEST = 512;
        private static final int SIZES = LocalSettings.MAX_SIZE / LocalSettings.MIN_SIZE;

        private final PrivateDataNegotiator negotiator = new PrivateDataNegotiator();
        private final LocalSettings local = new LocalSettings(LocalSettings.MAX_SIZE, 4096, true);
        private byte[] received = {};
        private ConnectionSettings settings = ConnectionSettings.WITHOUT_PRIVATE_DATA;

        @Override
        public byte[] sample(RandomGenerator random) {
            byte[] block = PrivateData.encode(new LocalSettings(
                    1024 * (random.nextInt(SIZES) + 1), 1024 * (random.nextInt(SIZES) + 1), random.nextBoolean()));
            // among data of other layers
            byte[] data = new byte[random.nextBoolean() ? block.length : block.length + random.nextInt(64)];
            random.nextBytes(data);
            System.arraycopy(block, 0, data, random.nextInt(data.length - block.length + 1), block.length);
            return data;
        }

        @Override
        public String decode(ByteBuffer in, int offset, int length) {
            received = new byte[length];
            in.get(offset, received);
            settings = negotiator.settle(local, received);
            requireWithin(settings.sendThreshold(), local.sendSize());
            requireWithin(settings.receiveThreshold(), local.receiveSize());
            return PrivateData.find(received) < 0 ? "no block" : "block";
        }

        private static void requireWithin(int threshold, int limit) {
            if (threshold < LocalSettings.MIN_SIZE || threshold > limit) {
                throw new IllegalStateException("threshold of " + threshold);
            }
        }

        @Override
        public long digest() {
            return settings.hashCode();
        }

        @Override
        public String refusal(Exception refusal) {
            return null; // other data counts as no block; the decoder never refuses anything
        }

        /** The block alone yields the same settings as the data that contains it. */
        @Override
        public int encode(ByteBuffer out) {
            int block = PrivateData.find(received);
            if (block < 0) {
                return -1;
            }
            out.put(PrivateData.encode(new LocalSettings(
                    PrivateData.sendSize(received, block),
                    PrivateData.receiveSize(received, block),
                    PrivateData.remoteInvalidation(received, block))));
            return PrivateData.LENGTH;
        }

        /** The copy, two buffers that wrap it, and the settings. */
        @Override
        public long allowance(int length) {
            return 256L + length;
        }

        @Override
        public int maxLength() {
            return LONGEST;
        }
    }

    @Test
    void shouldSettleOnWhateverComes() {
        Fuzzer.run("cm", new Target());
    }
}
