package io.verbena.verbs.iwarp.internal.settings;

import org.osgi.service.metatype.annotations.AttributeDefinition;
import org.osgi.service.metatype.annotations.ObjectClassDefinition;

@ObjectClassDefinition(
        id = IwarpConfiguration.PID,
        name = "Verbena software iWARP",
        description = "RDMA in software: iWARP over TCP")
public @interface IwarpConfiguration {
    String PID = "io.verbena.verbs.iwarp";
    int SETTLE_MILLIS = 20;
    int HANDSHAKE_SECONDS = 10;
    int MAX_PENDING_HANDSHAKES = 64;
    int SEND_SECONDS = 30;
    int KEEPALIVE_SECONDS = 60;

    @AttributeDefinition(
            name = "CRC",
            description = "Ask peers for CRC32C on every FPDU, unless a connection says otherwise")
    boolean crc() default true;

    @AttributeDefinition(
            name = "Settle time",
            description = "Milliseconds between a responder's MPA reply and the first FPDU sent to it, where nothing"
                    + " shows that it is ready. Linux's siw loses a wake-up in the first 10 ms")
    int settle_ms() default SETTLE_MILLIS;

    @AttributeDefinition(
            name = "Polling phase",
            description = "Microseconds, at most, that a connection's thread looks for octets again and again before"
                    + " it blocks: lower latency for a processor that is kept busy; 0: none. A connection may say"
                    + " otherwise by its option poll")
    int poll_us() default 0;

    @AttributeDefinition(
            name = "Handshake timeout",
            description = "Seconds in which a peer that connected has to have sent its MPA request")
    int handshake_timeout_s() default HANDSHAKE_SECONDS;

    @AttributeDefinition(
            name = "Pending handshakes",
            description = "The most connection requests of a listener that are handled at once; for one more the oldest"
                    + " of the address with the most is dropped")
    int max_pending_handshakes() default MAX_PENDING_HANDSHAKES;

    @AttributeDefinition(
            name = "Send timeout",
            description = "Seconds after which a peer that takes no octet of what is to be sent to it loses its"
                    + " connection")
    int send_timeout_s() default SEND_SECONDS;

    @AttributeDefinition(
            name = "Keep-alive",
            description = "Seconds of silence after which TCP asks whether the peer is still there; one that does not"
                    + " answer for as long again loses its connection. 0: never")
    int keepalive_s() default KEEPALIVE_SECONDS;

    @AttributeDefinition(
            name = "Longest FPDU",
            description = "Octets of the longest FPDU to send, for a path that carries less than its interface's MTU;"
                    + " 0: what fits a segment of the interface")
    int max_segment() default 0;

    @AttributeDefinition(name = "Send buffer", description = "Octets of the socket's send buffer; 0: the system's own")
    int send_buffer() default 0;

    @AttributeDefinition(
            name = "Receive buffer",
            description = "Octets of the socket's receive buffer; 0: the system's own")
    int receive_buffer() default 0;
}
