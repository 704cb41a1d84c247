package io.verbena.verbs.iwarp.internal;

import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.RdmaException;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;

/** The MPA handshake (RFC 5044 section 7.1, RFC 6581 sections 6 to 9). Blocks, up to a deadline. */
final class Handshake {
    /** What a user may send beside IRD and ORD. */
    static final int MAX_PRIVATE_DATA = Iwarp.MPA_MAX_PRIVATE_DATA - MpaFrame.READS_LENGTH;

    private Handshake() {}

    /** The initiator's side. */
    static Negotiated initiate(
            TimedChannel channel, ConnectionOptions limits, ProviderOptions options, byte[] privateData, long deadline)
            throws IOException {
        ReadyMode ready = options.ready();
        if (ready == ReadyMode.READ && limits.outboundReads() == 0) {
            // a connection without reads of its own cannot show it by a read
            ready = ReadyMode.WRITE;
        }
        int inbound = readLimit(limits.inboundReads());
        int outbound = readLimit(limits.outboundReads());
        int flags = Iwarp.MPA_FLAG_ENHANCED | (options.crc() ? Iwarp.MPA_FLAG_CRC : 0);
        MpaFrame request = new MpaFrame(
                false,
                flags,
                Iwarp.MPA_REVISION_2,
                inbound | ready.inboundFlags(),
                outbound | ready.outboundFlags(),
                privateData);
        send(channel, request, deadline);
        return conclude(receiveReply(channel, deadline), options.crc(), ready, inbound, outbound);
    }

    static void send(TimedChannel channel, MpaFrame frame, long deadline) throws IOException {
        ByteBuffer octets = frame.encode();
        channel.traffic().sent(octets);
        channel.writeFully(octets, deadline);
    }

    /** What comes of a reply; {@code ready}, {@code inbound} and {@code outbound} are what the request offered. */
    static Negotiated conclude(MpaFrame reply, boolean askedForCrc, ReadyMode ready, int inbound, int outbound)
            throws RdmaException {
        if (reply.has(Iwarp.MPA_FLAG_REJECT)) {
            throw new RdmaException(
                    RdmaException.Kind.REJECTED, "the peer rejected the connection", null, reply.privateData());
        }
        if (reply.has(Iwarp.MPA_FLAG_MARKERS)) {
            throw new RdmaException(RdmaException.Kind.PROTOCOL, "the peer insists on MPA markers");
        }
        boolean crc = askedForCrc || reply.has(Iwarp.MPA_FLAG_CRC);
        if (!reply.has(Iwarp.MPA_FLAG_ENHANCED)) {
            return new Negotiated(reply.revision(), crc, inbound, outbound, ReadyMode.NONE, reply.privateData());
        }
        return enhanced(reply, crc, ready, inbound, outbound);
    }

    private static Negotiated enhanced(MpaFrame reply, boolean crc, ReadyMode offered, int inbound, int outbound)
            throws RdmaException {
        int peerInbound = reply.inboundReads() & Iwarp.MPA_READS_MASK;
        int peerOutbound = reply.outboundReads() & Iwarp.MPA_READS_MASK;
        if (peerOutbound > inbound && peerOutbound != Iwarp.MPA_READS_MASK) {
            throw new RdmaException(
                    RdmaException.Kind.PROTOCOL,
                    "the peer wants " + peerOutbound + " reads at once where " + inbound + " were offered");
        }
        ReadyMode ready = ReadyMode.of(reply);
        if (ready != ReadyMode.NONE && ready != offered) {
            throw new RdmaException(RdmaException.Kind.PROTOCOL, "the peer chose a way to get ready not offered to it");
        }
        int reads = peerInbound == Iwarp.MPA_READS_MASK ? outbound : Math.min(outbound, peerInbound);
        if (ready == ReadyMode.READ && reads == 0) {
            throw new RdmaException(RdmaException.Kind.PROTOCOL, "the peer chose a read to get ready and allows none");
        }
        return new Negotiated(reply.revision(), crc, inbound, reads, ready, reply.privateData());
    }

    private static MpaFrame receiveReply(TimedChannel channel, long deadline) throws IOException {
        try {
            return receive(channel, true, deadline);
        } catch (RdmaException e) {
            throw e;
        } catch (ClosedChannelException e) {
            throw new RdmaException(RdmaException.Kind.DISCONNECTED, "closed while connecting", e);
        } catch (EOFException e) {
            throw new RdmaException(RdmaException.Kind.PROTOCOL, e.getMessage(), e);
        } catch (IOException e) {
            throw new RdmaException(RdmaException.Kind.PROTOCOL, "no MPA reply from the peer: " + e.getMessage(), e);
        }
    }

    /** Receives a request, the responder's first step. */
    static MpaFrame receiveRequest(TimedChannel channel, long deadline) throws IOException {
        return receive(channel, false, deadline);
    }

    private static MpaFrame receive(TimedChannel channel, boolean reply, long deadline) throws IOException {
        ByteBuffer frame = ByteBuffer.allocate(MpaFrame.MAX_LENGTH).limit(MpaFrame.PRIVATE_DATA);
        channel.readFully(frame, deadline);
        int length = MpaFrame.privateDataLength(frame, reply);
        channel.readFully(frame.limit(MpaFrame.PRIVATE_DATA + length), deadline);
        channel.traffic().received(frame, 0, frame.limit());
        return MpaFrame.decode(frame, reply);
    }

    /** What comes of a request when it is accepted; its way to get ready is known to be known. */
    static Negotiated respond(MpaFrame request, ConnectionOptions limits, ProviderOptions options) {
        boolean crc = options.crc() || request.has(Iwarp.MPA_FLAG_CRC);
        int inbound = readLimit(limits.inboundReads());
        int outbound = readLimit(limits.outboundReads());
        ReadyMode ready = ReadyMode.NONE;
        if (request.has(Iwarp.MPA_FLAG_ENHANCED)) {
            ready = ReadyMode.of(request);
            int peerInbound = request.inboundReads() & Iwarp.MPA_READS_MASK;
            int peerOutbound = request.outboundReads() & Iwarp.MPA_READS_MASK;
            outbound = peerInbound == Iwarp.MPA_READS_MASK ? outbound : Math.min(outbound, peerInbound);
            if (peerOutbound != Iwarp.MPA_READS_MASK) {
                inbound = Math.min(inbound, peerOutbound);
            }
            if (ready == ReadyMode.READ) {
                // the read that shows the initiator's being ready is one as well
                inbound = Math.max(inbound, 1);
            }
        }
        return new Negotiated(request.revision(), crc, inbound, outbound, ready, request.privateData());
    }

    /** The reply to accept with. */
    static MpaFrame acceptance(MpaFrame request, Negotiated negotiated, byte[] privateData) {
        int flags = (request.flags() & Iwarp.MPA_FLAG_ENHANCED) | (negotiated.crc() ? Iwarp.MPA_FLAG_CRC : 0);
        return new MpaFrame(
                true,
                flags,
                request.revision(),
                negotiated.inboundReads() | negotiated.ready().inboundFlags(),
                negotiated.outboundReads() | negotiated.ready().outboundFlags(),
                privateData);
    }

    /** The reply to reject with. */
    static MpaFrame rejection(MpaFrame request, byte[] privateData) {
        int flags = (request.flags() & (Iwarp.MPA_FLAG_ENHANCED | Iwarp.MPA_FLAG_CRC)) | Iwarp.MPA_FLAG_REJECT;
        return new MpaFrame(true, flags, request.revision(), 0, 0, privateData);
    }

    private static int readLimit(int wanted) {
        return Math.min(wanted, Iwarp.MPA_READS_MASK - 1);
    }
}
