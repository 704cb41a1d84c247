package io.verbena.verbs.iwarp.internal.connection;

import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.RdmaException;
import io.verbena.verbs.iwarp.internal.Log;
import io.verbena.verbs.iwarp.internal.settings.IwarpOptions;
import io.verbena.verbs.iwarp.internal.tcp.TimedChannel;
import io.verbena.verbs.iwarp.internal.wire.Iwarp;
import io.verbena.verbs.iwarp.internal.wire.MpaFrame;
import io.verbena.verbs.iwarp.internal.wire.ReadyMode;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;

/**
 * The MPA handshake (RFC 5044 section 7.1, RFC 6581 sections 6 to 9). The calls block the caller's thread up to a
 * deadline.
 */
public final class MpaHandshake {
    private MpaHandshake() {}

    /** The initiator's side. */
    static NegotiatedParameters initiate(
            TimedChannel channel, ConnectionOptions limits, IwarpOptions options, byte[] privateData, long deadline)
            throws IOException {
        ReadyMode ready = options.ready();
        if (ready == ReadyMode.READ && limits.outboundReads() == 0) {
            // a connection without outbound reads cannot show by a read that it is ready
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
        channel.tap().sent(octets);
        channel.writeFully(octets, deadline);
    }

    /** Rejects the peer's request. A peer that does not take the rejection gets nothing more. */
    public static void reject(TimedChannel channel, MpaFrame request, byte[] privateData, long deadline) {
        try {
            send(channel, rejection(request, privateData), deadline);
            channel.channel().shutdownOutput();
        } catch (IOException e) {
            Log.LOGGER.debug("a peer did not take its rejection: {}", e.getMessage());
        }
    }

    /**
     * Computes the parameters from a reply; {@code ready}, {@code inbound} and {@code outbound} are what the request
     * offered.
     */
    static NegotiatedParameters conclude(
            MpaFrame reply, boolean askedForCrc, ReadyMode ready, int inbound, int outbound) throws RdmaException {
        if (reply.has(Iwarp.MPA_FLAG_REJECT)) {
            throw new RdmaException(
                    RdmaException.Kind.REJECTED, "the peer rejected the connection", null, reply.privateData());
        }
        if (reply.has(Iwarp.MPA_FLAG_MARKERS)) {
            throw new RdmaException(RdmaException.Kind.PROTOCOL, "the peer insists on MPA markers");
        }
        boolean crc = askedForCrc || reply.has(Iwarp.MPA_FLAG_CRC);
        if (!reply.has(Iwarp.MPA_FLAG_ENHANCED)) {
            return new NegotiatedParameters(
                    reply.revision(), crc, inbound, outbound, ReadyMode.NONE, reply.privateData());
        }
        return enhanced(reply, crc, ready, inbound, outbound);
    }

    private static NegotiatedParameters enhanced(
            MpaFrame reply, boolean crc, ReadyMode offered, int inbound, int outbound) throws RdmaException {
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
        return new NegotiatedParameters(reply.revision(), crc, inbound, reads, ready, reply.privateData());
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
    public static MpaFrame receiveRequest(TimedChannel channel, long deadline) throws IOException {
        return receive(channel, false, deadline);
    }

    private static MpaFrame receive(TimedChannel channel, boolean reply, long deadline) throws IOException {
        ByteBuffer frame = ByteBuffer.allocate(MpaFrame.MAX_LENGTH).limit(MpaFrame.PRIVATE_DATA);
        channel.readFully(frame, deadline);
        int length = MpaFrame.privateDataLength(frame, reply);
        channel.readFully(frame.limit(MpaFrame.PRIVATE_DATA + length), deadline);
        channel.tap().received(frame, 0, frame.limit());
        return MpaFrame.decode(frame, reply);
    }

    /**
     * Computes the parameters with which a request is accepted. The caller has checked that the request's ready mode is
     * known.
     */
    static NegotiatedParameters respond(MpaFrame request, ConnectionOptions limits, IwarpOptions options) {
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
                // the read by which the initiator shows that it is ready counts too
                inbound = Math.max(inbound, 1);
            }
        }
        return new NegotiatedParameters(request.revision(), crc, inbound, outbound, ready, request.privateData());
    }

    /** The reply to accept with. */
    static MpaFrame acceptance(MpaFrame request, NegotiatedParameters negotiated, byte[] privateData) {
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
