package io.verbena.rpc;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * Where and how to connect.
 *
 * @param remote the peer's address
 * @param connectTimeout bounds one attempt to connect
 * @param recoveryTimeout how long the transport tries to re-establish a lost connection before outstanding calls fail.
 *     Zero: a lost connection is not re-established, and its calls fail at once; it is made again only where a service
 *     that it is made of is replaced
 * @param serviceTimeout how long an OSGi service that the transport needs may be missing. After that, calls that need
 *     the service fail with a {@link MissingServiceException} that names it
 * @param maxOutstanding the most calls in flight at once; the transport's credit request
 * @param observer told of the connection's ups and downs
 * @param reverse answers the calls that the peer makes by this connection (RFC 8167); where there is none they are
 *     answered with {@code PROG_UNAVAIL}
 * @param transport further options, named and checked by the transport ({@code provider}, {@code rpcrdma},
 *     {@code inline}, {@code crc}, {@code invalidate}, {@code reverse-chunks}, {@code poll} for netid {@code rdma}),
 *     {@code label} (what the connection is for, for people: log, figures and events name it), and what an earlier
 *     connection's {@link RpcConnection#choice} says, where this one takes its place
 */
public record ConnectOptions(
        InetSocketAddress remote,
        Duration connectTimeout,
        Duration recoveryTimeout,
        Duration serviceTimeout,
        int maxOutstanding,
        ConnectionObserver observer,
        Optional<RpcProgram> reverse,
        Map<String, String> transport) {
    public ConnectOptions {
        transport = Map.copyOf(transport);
    }

    /**
     * Ten seconds to connect, a minute to recover, half a minute for services to come back, 64 calls at once, no
     * observer, no calls back, no further options.
     */
    public static ConnectOptions to(InetSocketAddress remote) {
        return new ConnectOptions(
                remote,
                Duration.ofSeconds(10),
                Duration.ofSeconds(60),
                Duration.ofSeconds(30),
                64,
                ConnectionObserver.NONE,
                Optional.empty(),
                Map.of());
    }
}
