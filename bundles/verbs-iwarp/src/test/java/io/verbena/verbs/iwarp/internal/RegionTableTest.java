package io.verbena.verbs.iwarp.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.conformance.Proves;
import io.verbena.verbs.Access;
import io.verbena.verbs.RdmaException;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What becomes of memory at the end of a connection. */
class RegionTableTest {
    private final RegionTable table = new RegionTable(new RandomNumbers());

    @ParameterizedTest
    @EnumSource(Access.class)
    @Proves("V1-5.5-6")
    @DisplayName("to open memory at the end of a connection tells a loss, so that the call is sent again")
    void shouldTellDisconnectionWhenClosed(Access access) {
        table.close();
        assertThatThrownBy(() -> table.add(List.of(ByteBuffer.allocate(1)), access))
                .isInstanceOfSatisfying(
                        RdmaException.class, e -> assertThat(e.kind()).isEqualTo(RdmaException.Kind.DISCONNECTED));
    }

    @Test
    void shouldInvalidateAllWhenClosed() throws Exception {
        Region region = table.add(List.of(ByteBuffer.allocate(1)), Access.REMOTE_READ);
        table.close();
        assertThat(region.isValid()).isFalse();
        assertThat(table.find(region.steeringTag())).isNull();
        assertThat(table.size()).isZero();
    }
}
