package io.verbena.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.verbena.xdr.XdrException;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;
import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CredentialTest {
    private static final Credential.Sys SYS =
            new Credential.Sys(0x01020304, "verbena", 1000, -2, List.of(4, 24, 0xffffffff));

    private final XdrWriter out = new XdrWriter();

    @Test
    void shouldWriteNoneAsTwoZeros() {
        Credential.none().encode(out);

        assertThat(out.toByteArray()).containsExactly(new byte[8]);
    }

    @Test
    void shouldWriteSysAtItsOffsets() {
        out.putInt(-1);
        SYS.encode(out);

        ByteBuffer octets = ByteBuffer.wrap(out.toByteArray()).position(4).slice();
        assertThat(octets.getInt(0)).as("flavor").isEqualTo(1);
        assertThat(octets.getInt(4)).as("length of the body").isEqualTo(40);
        assertThat(octets.getInt(8)).as("stamp").isEqualTo(0x01020304);
        assertThat(octets.getInt(12)).as("length of the machine name").isEqualTo(7);
        assertThat(octets.getLong(16)).as("machine name, padded").isEqualTo(0x76657262656e6100L);
        assertThat(octets.getInt(24)).as("uid").isEqualTo(1000);
        assertThat(octets.getInt(28)).as("gid").isEqualTo(-2);
        assertThat(octets.getInt(32)).as("number of groups").isEqualTo(3);
        assertThat(octets.getInt(36)).isEqualTo(4);
        assertThat(octets.getInt(40)).isEqualTo(24);
        assertThat(octets.getInt(44)).isEqualTo(0xffffffff);
        assertThat(octets.limit()).isEqualTo(48);
    }

    @Test
    void shouldReadSysBack() throws XdrException {
        SYS.encode(out);
        out.putInt(42);
        XdrReader in = reader();

        assertThat(Credential.decode(in)).isEqualTo(SYS);
        assertThat(in.getInt()).isEqualTo(42);
    }

    @Test
    void shouldHoldAndReadTheLargestSys() throws XdrException {
        Credential largest = new Credential.Sys(0, "x".repeat(255), 0, 0, Collections.nCopies(16, 7));
        largest.encode(out);

        assertThat(Credential.decode(reader())).isEqualTo(largest);
    }

    @Test
    void shouldNotHoldMoreThanSysCan() {
        assertThatThrownBy(() -> new Credential.Sys(0, "box", 0, 0, Collections.nCopies(17, 7)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("17");
        assertThatThrownBy(() -> new Credential.Sys(0, "x".repeat(256), 0, 0, List.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("256");
        assertThatThrownBy(() -> new Credential.Sys(0, "\u20ac".repeat(86), 0, 0, List.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("258");
    }

    @Test
    void shouldRefuseTooManyGroups() {
        putSys("box", 17);

        assertRefusedAt(28);
    }

    @Test
    void shouldRefuseTooLongMachineName() {
        putSys("x".repeat(256), 0);

        assertRefusedAt(12);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 4, 20, 23, 25, 27, 28, 32, 400})
    void shouldRefuseSysBodyOfAnotherLengthThanAnnounced(int announced) {
        putSys("box", 1); // 28 octets, apart from the fields changed here
        out.setInt(4, announced == 28 ? 29 : announced);
        out.putFixedOpaque(new byte[400]);

        assertRefusedAt(8);
    }

    @ParameterizedTest
    @ValueSource(ints = {401, 404, 0x7fffffff, 0x80000000, -1})
    void shouldRefuseBodiesOverTheLimit(int length) {
        for (int flavor : new int[] {0, 1, 6}) {
            out.reset();
            out.putInt(flavor).putInt(length).putFixedOpaque(new byte[404]);

            assertRefusedAt(4);
        }
    }

    @Test
    void shouldKeepFlavorsThatAreNotKnown() throws XdrException {
        out.putInt(6).putOpaque(new byte[] {1, 2, 3, 4, 5}).putInt(42);
        XdrReader in = reader();

        Credential.Other other = (Credential.Other) Credential.decode(in);
        assertThat(other.auth()).isEqualTo(new OpaqueAuth(6, new byte[] {1, 2, 3, 4, 5}));
        assertThat(other.auth().octets()).containsExactly(1, 2, 3, 4, 5);
        assertThat(in.getInt()).isEqualTo(42);
    }

    @Test
    void shouldPassOverTheBodyOfNone() throws XdrException {
        out.putInt(0).putOpaque(new byte[400]).putInt(42);
        XdrReader in = reader();

        assertThat(Credential.decode(in)).isEqualTo(Credential.none());
        assertThat(in.getInt()).isEqualTo(42);
    }

    @Test
    void shouldWriteFlavorsThatAreNotKnownAsTheyCame() throws XdrException {
        Credential other = new Credential.Other(new OpaqueAuth(6, new byte[] {1, 2, 3, 4, 5}));

        other.encode(out);

        assertThat(Credential.decode(reader())).isEqualTo(other);
    }

    @Test
    void shouldNotWriteAProof() {
        Credential proved = new Credential.Proved(6, "user@REALM", 1);

        assertThatThrownBy(() -> proved.encode(out)).isInstanceOf(IllegalStateException.class);
        assertThat(out.position()).as("nothing written").isZero();
    }

    @Test
    void shouldTellFlavors() {
        assertThat(Credential.none().flavor()).isZero();
        assertThat(SYS.flavor()).isEqualTo(1);
        assertThat(new Credential.Other(new OpaqueAuth(6, new byte[0])).flavor())
                .isEqualTo(6);
    }

    /** Writes an AUTH_SYS credential field by field, without the limits of {@link Credential.Sys}. */
    private void putSys(String machineName, int groups) {
        out.putInt(1)
                .putInt(0)
                .putInt(0)
                .putString(machineName)
                .putInt(0)
                .putInt(0)
                .putInt(groups);
        for (int i = 0; i < groups; i++) {
            out.putInt(i);
        }
        out.setInt(4, out.position() - 8);
    }

    private void assertRefusedAt(int offset) {
        XdrException refused = catchThrowableOfType(XdrException.class, () -> Credential.decode(reader()));
        assertThat(refused).isNotNull();
        assertThat(refused.offset()).as(refused.getMessage()).isEqualTo(offset);
    }

    private XdrReader reader() {
        return new XdrReader(ByteBuffer.wrap(out.toByteArray()));
    }
}
