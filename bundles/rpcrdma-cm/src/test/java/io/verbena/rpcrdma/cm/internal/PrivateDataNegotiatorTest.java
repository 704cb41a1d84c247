package io.verbena.rpcrdma.cm.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.conformance.Proves;
import io.verbena.rpcrdma.ConnectionSettings;
import io.verbena.rpcrdma.LocalSettings;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PrivateDataNegotiatorTest {
    private static final LocalSettings LARGE = new LocalSettings(262144, 262144, true);

    private final PrivateDataNegotiator negotiator = new PrivateDataNegotiator();

    @Test
    @Proves({"CM-4-1", "CM-4-4"})
    @DisplayName("eight octets: identifier, version, flags, send size, receive size; reserved bits zero")
    void shouldSendEightOctets() {
        byte[] data = negotiator.privateData(new LocalSettings(4096, 8192, true));

        assertThat(data).hasSize(8);
        assertThat(Arrays.copyOfRange(data, 0, 4)).as("identifier").isEqualTo(hex("f6ab0e18"));
        assertThat(data[4]).as("version").isEqualTo((byte) 1);
        assertThat(data[5]).as("flags").isEqualTo((byte) 1);
        assertThat(data[6]).as("send size").isEqualTo((byte) 3);
        assertThat(data[7]).as("receive size").isEqualTo((byte) 7);
    }

    @Test
    @Proves("CM-4-1")
    @DisplayName("what Linux sends for 4096 octets either way is what we send")
    void shouldSendWhatLinuxSends() {
        assertThat(negotiator.privateData(new LocalSettings(4096, 4096, true))).isEqualTo(hex("f6ab0e1801010303"));
        assertThat(negotiator.privateData(new LocalSettings(4096, 4096, false))).isEqualTo(hex("f6ab0e1801000303"));
    }

    @ParameterizedTest
    @CsvSource({"1024, 00", "2048, 01", "4096, 03", "131072, 7f", "132096, 80", "262144, ff"})
    @Proves("CM-4.2-1")
    @DisplayName("a size is sent as octets / 1024 - 1")
    void shouldEncodeAndDecodeSizes(int octets, String encoded) {
        byte[] data = negotiator.privateData(new LocalSettings(octets, octets, false));

        assertThat(data).endsWith(hex(encoded + encoded));
        assertThat(negotiator.settle(LARGE, data)).isEqualTo(new ConnectionSettings(octets, octets, false));
    }

    @Test
    @Proves("CM-4.2-2")
    @DisplayName("each direction's threshold is the lower of what its sender sends and its receiver receives")
    void shouldTakeTheLowerOfEachDirection() {
        LocalSettings client = new LocalSettings(65536, 4096, false);
        LocalSettings server = new LocalSettings(8192, 16384, false);

        ConnectionSettings atClient = negotiator.settle(client, negotiator.privateData(server));
        ConnectionSettings atServer = negotiator.settle(server, negotiator.privateData(client));

        assertThat(atClient).isEqualTo(new ConnectionSettings(16384, 4096, false));
        assertThat(atServer).isEqualTo(new ConnectionSettings(4096, 16384, false));
    }

    @ParameterizedTest
    @CsvSource({"true, true, true", "true, false, false", "false, true, false", "false, false, false"})
    @Proves({"CM-4.1-1", "CM-4.1-2"})
    @DisplayName("remote invalidation holds only where both ends set R")
    void shouldInvalidateRemotelyWhereBothDo(boolean ours, boolean theirs, boolean settled) {
        byte[] data = negotiator.privateData(new LocalSettings(4096, 4096, theirs));

        assertThat(negotiator.settle(new LocalSettings(4096, 4096, ours), data).remoteInvalidation())
                .isEqualTo(settled);
    }

    @ParameterizedTest
    @CsvSource({"fe, false", "ff, true", "80, false", "81, true"})
    @Proves("CM-4-4")
    @DisplayName("reserved bits are ignored")
    void shouldIgnoreReservedBits(String flags, boolean remoteInvalidation) {
        assertThat(negotiator.settle(LARGE, hex("f6ab0e1801" + flags + "0303")))
                .isEqualTo(new ConnectionSettings(4096, 4096, remoteInvalidation));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "f6",
                "f6ab0e18",
                "f6ab0e18010103",
                "f6ab0e1900010303",
                "180eabf601010303",
                "f6ab0e1800010303",
                "f6ab0e1802010303",
                "f6ab0e18ff010303",
                "0000000000000000f6ab0e18010103",
                "00800000"
            })
    @Proves({"CM-5.1-1", "CM-5.2-1", "CM-4-3"})
    @DisplayName("nothing, something else, too few octets or an unknown version: the defaults")
    void shouldFallBackToDefaults(String data) {
        assertThat(negotiator.settle(LARGE, hex(data)))
                .isEqualTo(new ConnectionSettings(1024, 1024, false))
                .isEqualTo(ConnectionSettings.WITHOUT_PRIVATE_DATA);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5, 7, 13, 48})
    @Proves({"CM-5.2-1", "CM-6-1"})
    @DisplayName("the block is found at any alignment, with other layers' data before and behind it")
    void shouldFindTheBlockAnywhere(int before) {
        for (int behind = 0; behind < 10; behind++) {
            String data = "f6".repeat(before) + "f6ab0e1801010703" + "f6".repeat(behind);

            assertThat(negotiator.settle(LARGE, hex(data))).isEqualTo(new ConnectionSettings(4096, 8192, true));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {8, 9, 56, 57, 148, 196, 224, 512})
    @Proves({"CM-5.2-1", "CM-6-1"})
    @DisplayName("zeros behind the block, as a transport with fields of a fixed length adds, change nothing")
    void shouldTakeZerosBehindTheBlock(int field) {
        byte[] data = Arrays.copyOf(hex("f6ab0e1801010703"), field);

        assertThat(negotiator.settle(LARGE, data)).isEqualTo(new ConnectionSettings(4096, 8192, true));
    }

    @ParameterizedTest
    @ValueSource(ints = {7, 8, 56, 196})
    @Proves({"CM-5.1-1", "CM-4-3"})
    @DisplayName("zeros alone, where a peer sent nothing, mean the defaults")
    void shouldTakeZerosAloneForNothing(int field) {
        assertThat(negotiator.settle(LARGE, new byte[field])).isEqualTo(ConnectionSettings.WITHOUT_PRIVATE_DATA);
    }

    @ParameterizedTest
    @ValueSource(strings = {"f6ab0e1802010f0f" + "f6ab0e1801000303", "f6ab0e18" + "f6ab0e1801000303"})
    @Proves("CM-5.2-1")
    @DisplayName("what only looks like the identifier does not hide the block behind it")
    void shouldGoOnSearchingBehindAFalseBlock(String data) {
        assertThat(negotiator.settle(LARGE, hex(data))).isEqualTo(new ConnectionSettings(4096, 4096, false));
    }

    @Test
    @Proves("CM-4-2")
    @DisplayName("each connection's exchange stands for itself")
    void shouldSettleEachConnectionAfresh() {
        assertThat(negotiator.settle(LARGE, hex("f6ab0e1801011f1f")))
                .isEqualTo(new ConnectionSettings(32768, 32768, true));
        assertThat(negotiator.settle(LARGE, hex("f6ab0e1801000303")))
                .isEqualTo(new ConnectionSettings(4096, 4096, false));
        assertThat(negotiator.settle(LARGE, new byte[0])).isEqualTo(ConnectionSettings.WITHOUT_PRIVATE_DATA);
    }

    @Test
    @Proves("CM-5.2-1")
    @DisplayName("no octets at all make it fail")
    void shouldSettleForAnyOctets() {
        Random random = new Random(8797);
        byte[] block = hex("f6ab0e1801010303");
        for (int i = 0; i < 100_000; i++) {
            byte[] data = new byte[random.nextInt(24)];
            random.nextBytes(data);
            int at = random.nextInt(24) - 8;
            for (int k = 0; k < block.length; k++) {
                if (at + k >= 0 && at + k < data.length && random.nextInt(20) != 0) {
                    data[at + k] = block[k];
                }
            }
            ConnectionSettings settled = negotiator.settle(LARGE, data);
            assertThat(settled.sendThreshold()).isBetween(1024, 262144);
            assertThat(settled.receiveThreshold()).isBetween(1024, 262144);
        }
    }

    private static byte[] hex(String octets) {
        return HexFormat.of().parseHex(octets);
    }
}
