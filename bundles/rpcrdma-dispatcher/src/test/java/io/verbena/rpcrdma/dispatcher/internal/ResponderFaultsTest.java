package io.verbena.rpcrdma.dispatcher.internal;

import io.verbena.conformance.Proves;
import io.verbena.verbs.MemoryRegion;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a client sends to the responder that is no call, or not one as it should be. */
final class ResponderFaultsTest extends ResponderFixture {
    ResponderFaultsTest(Version version, boolean device) {
        super(version, device);
    }

    @ParameterizedTest
    @ValueSource(strings = {"zero", "next", "after that", "highest"})
    @Proves({"V1-5.5-2", "V1-9.1-1", "V2-5.2-1"})
    @DisplayName("a version that is not there is answered with ERR_VERS and those that are")
    void shouldRefuseVersion(String which) throws Exception {
        int refused =
                switch (which) {
                    case "zero" -> 0;
                    case "next" -> version.number() + 1;
                    case "after that" -> version.number() + 2;
                    default -> -1;
                };
        client.send(Wire.header(refused, XID, 1, Wire.MSG).words(1, 2, 3).done());
        expect(Version.ONE.error(XID, CREDITS).words(1, 1, version.number()).done()); // nothing is settled
        client.send(Wire.header(refused, XID, 1, Wire.ERROR).words(1, 5, 6).done()); // never answered
        expectAlive();
        client.send(Wire.header(refused, XID, 1, Wire.MSG).words(1, 2, 3).done());
        expect(version.error(XID, CREDITS).words(1, 1, version.number()).done());
    }

    @Test
    @Proves({"V1-5.5-1", "V1-5.5-3"})
    @DisplayName("a header that cannot be decoded is answered with ERR_CHUNK")
    void shouldRefuseBrokenHeader() throws Exception {
        client.send(version.call(XID, 4, Wire.MSG).words(1, 0, 1).done());
        expect(errChunk());
        client.send(version.call(XID, 4, 77).words(0, 0, 0).done());
        expect(errChunk());
        expectAlive();
    }

    @Test
    @Proves("V1-4.4.4.1-4")
    @DisplayName("a position that is no multiple of four is answered with ERR_CHUNK")
    void shouldRefusePositionOutOfLine() throws Exception {
        MemoryRegion region = expose(new byte[8]);
        client.send(version.call(XID, 4, Wire.MSG)
                .words(1, 46)
                .segment(region.steeringTag(), 8, region.remoteOffset())
                .words(0, 0, 0)
                .bytes(bytes(call(EchoProgram.WRITE).words(1, 0, 8, 0)))
                .done());
        expect(errChunk());
    }

    @Test
    @Proves("V1-5.1.1-1")
    @DisplayName("an XID that differs from the RPC message's is answered with ERR_CHUNK")
    void shouldRefuseOtherXid() throws Exception {
        client.send(version.call(XID, 4, Wire.MSG)
                .words(0, 0, 0)
                .call(XID + 1, EchoProgram.PROGRAM, EchoProgram.VERSION, 0)
                .done());
        expect(errChunk());
    }

    @ParameterizedTest
    @ValueSource(ints = {XID + 1, 0, -1})
    @Proves("V1-5.1.1-1")
    @DisplayName("an XID that differs from that of a long call is answered with ERR_CHUNK")
    void shouldRefuseOtherXidOfLongCall(int xid) throws Exception {
        byte[] data = EchoProgram.bytes(4, 2000);
        MemoryRegion stream = expose(bytes(new Wire()
                .call(xid, EchoProgram.PROGRAM, EchoProgram.VERSION, EchoProgram.WRITE)
                .words(1, 0, data.length, 99)));
        MemoryRegion item = expose(data);
        client.send(version.call(XID, 4, Wire.NOMSG)
                .words(1, 0)
                .segment(stream.steeringTag(), 56, stream.remoteOffset())
                .words(1, 52)
                .segment(item.steeringTag(), data.length, item.remoteOffset())
                .words(0, 0, 0)
                .done());
        expect(errChunk());
        expectAlive();
    }

    @Test
    @Proves({"V1-5.5-1", "V1-4.6.3-2"})
    @DisplayName("a long call without a Position Zero chunk that holds a call is answered with ERR_CHUNK")
    void shouldRefuseLongCallWithoutStream() throws Exception {
        // whoever took any of the first two for the call would find one
        MemoryRegion call = expose(bytes(call(EchoProgram.NULL)));
        MemoryRegion region = expose(new byte[100]);
        client.send(version.call(XID, 4, Wire.NOMSG)
                .words(1, 40)
                .segment(call.steeringTag(), 40, call.remoteOffset())
                .words(0, 0, 0)
                .done());
        expect(errChunk());
        client.send(version.call(XID, 4, Wire.NOMSG)
                .words(1, 0)
                .segment(call.steeringTag(), 36, call.remoteOffset())
                .words(0, 0, 0)
                .done());
        expect(errChunk());
        client.send(version.call(XID, 4, Wire.NOMSG)
                .words(1, 0)
                .segment(region.steeringTag(), 100, region.remoteOffset())
                .words(0, 0, 0)
                .done());
        expect(errChunk()); // its XID is zero
    }

    @ParameterizedTest
    @CsvSource({"100001,1", "-1,1", "2000000000,3", "50000,3", "1,65"})
    @Proves({"V1-5.5-1", "ULB-5.4.2-3"})
    @DisplayName("lengths over the largest call are refused before anything is allocated or read")
    void shouldRefuseCallTooLarge(int length, int chunks) throws Exception {
        Wire call = version.call(XID, 4, Wire.MSG);
        for (int i = 0; i < chunks; i++) {
            call.words(1, 48 + 4 * i).segment(0xbad, length, 0); // to read it would end the connection
        }
        client.send(call.words(0, 0, 0)
                .bytes(bytes(call(EchoProgram.WRITE).words(1, 0, length, 0)))
                .done());
        expect(errChunk());
        expectAlive();
    }

    @Test
    @Proves({"V1-8.3.3-1", "V1-5.7.2-1"})
    @DisplayName("what is nobody's is dropped without an answer")
    void shouldDropWhatIsNobodys() throws Exception {
        client.send(new Wire().words(XID, version.number(), 4).done());
        client.send(version.error(XID, 4).words(2).done());
        client.send(version.error(XID, 4).words(9).done());
        client.send(version.reply(XID, 4, Wire.NOMSG).words(0, 0, 0).done());
        client.send(version.call(XID, 4, Wire.MSG).words(0, 0, 0).done());
        client.send(version.call(XID, 4, Wire.MSG)
                .words(0, 0, 0)
                .words(XID, 0, 2, EchoProgram.PROGRAM, EchoProgram.VERSION, 0, 0, 0, 0)
                .done());
        client.send(version.call(XID, 4, Wire.MSG)
                .words(0, 0, 0)
                .words(XID, 2, 2, EchoProgram.PROGRAM, EchoProgram.VERSION, 0, 0, 0, 0, 0)
                .done());
        switch (version) {
            case ONE -> client.send(version.call(XID, 4, Wire.DONE).done());
            case TWO -> {
                client.send(version.reply(XID, 4, Wire.MSG)
                        .words(0, 0, 0)
                        .call(XID, EchoProgram.PROGRAM, EchoProgram.VERSION, EchoProgram.NULL)
                        .done());
                client.send(version.call(XID, 4, Wire.MSG)
                        .words(0, 0, 0)
                        .accepted(XID)
                        .words(0, 0, 0, 0)
                        .done());
            }
        }
        client.send(version.nullReply(XID, 4));
        expectAlive();
    }
}
