package io.verbena.nfs41.client.internal.names;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.conformance.Proves;
import io.verbena.nfs41.Compound;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.PutFh;
import io.verbena.nfs41.ReadDir;
import io.verbena.nfs41.ReadLink;
import io.verbena.nfs41.Sequence;
import io.verbena.nfs41.SessionId;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.client.internal.compound.CompoundRequest;
import io.verbena.nfs41.client.internal.compound.CompoundWriter;
import io.verbena.nfs41.client.internal.testing.FakeServer;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Requests tell how long their replies can be, so that there is room for these (RFC 8267 section 2). */
class ReplySizeTest {
    /** The longest path of Linux. */
    private static final int PATH_MAX = 4096;

    private static final int RPC_HEADER = 24;
    private static final int STATUS = 8;

    /** The RPC header, and the results of SEQUENCE and of PUTFH. */
    private static int begin(XdrWriter out) {
        int at = Compound.encodeResult(out, "");
        Sequence.encodeResult(out, new Sequence.Result(new SessionId(1, 2), 1, 0, 15, 15, 0));
        out.putInt(Opcode.PUTFH);
        Status.NFS4_OK.encode(out);
        return at;
    }

    @Test
    @Proves("ULB-2-1")
    @DisplayName("READLINK has room for the longest text behind a path of lookups")
    void shouldHaveRoomForTheLongestLink() {
        XdrWriter out = new XdrWriter();
        int at = begin(out);
        for (int i = 0; i < 100; i++) {
            out.putInt(Opcode.LOOKUP);
            Status.NFS4_OK.encode(out);
        }
        ReadLink.encodeResult(out, new ReadLink.Result("x".repeat(PATH_MAX)));
        Compound.finishResult(out, at, "", Status.NFS4_OK, 103);
        assertThat(RPC_HEADER + out.fullSize())
                .isLessThanOrEqualTo(new ReadLinkOperation().maxReplySize() + 100L * STATUS);
    }

    @Test
    @Proves({"ULB-2-1", "ULB-2-2"})
    @DisplayName("READDIR asks for no more octets than there is room for")
    void shouldAskForNoMoreEntriesThanThereIsRoomFor() throws Exception {
        CompoundRequest<?> page = new DirectoryPages.Page(FakeServer.HANDLE, 0, 0);
        XdrWriter args = new XdrWriter();
        CompoundWriter operations = new CompoundWriter();
        operations.begin(args);
        page.encode(operations);
        operations.end();
        XdrReader in = new XdrReader(ByteBuffer.wrap(args.toByteArray()));
        assertThat(Compound.decodeArgs(in).operations()).isEqualTo(2);
        assertThat(in.getInt()).isEqualTo(Opcode.PUTFH);
        assertThat(PutFh.decodeArgs(in).object()).isEqualTo(FakeServer.HANDLE);
        assertThat(in.getInt()).isEqualTo(Opcode.READDIR);
        ReadDir.Args asked = ReadDir.decodeArgs(in);
        XdrWriter out = new XdrWriter();
        int unused = begin(out);
        assertThat(RPC_HEADER + out.fullSize() + STATUS + asked.maxCount()).isLessThanOrEqualTo(page.maxReplySize());
    }
}
