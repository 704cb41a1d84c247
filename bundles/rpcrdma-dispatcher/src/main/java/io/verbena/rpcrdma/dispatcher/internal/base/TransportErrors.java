package io.verbena.rpcrdma.dispatcher.internal.base;

import io.verbena.memory.MemoryRefusedException;
import io.verbena.rpc.LocalResourceException;
import io.verbena.rpc.TransportLostException;
import io.verbena.verbs.Addresses;
import io.verbena.verbs.RdmaException;
import java.net.InetSocketAddress;
import java.time.Duration;

/** The exceptions that calls and connections end with, and the words that they share. */
public final class TransportErrors {
    private TransportErrors() {}

    public static TransportLostException lost(InetSocketAddress remote, String why, Throwable cause) {
        String message = "lost the connection to " + Addresses.text(remote) + ": " + why;
        return cause instanceof LocalResourceException
                ? new LocalResourceException(message, cause, true)
                : new TransportLostException(message, cause);
    }

    /** The same failure, for a call that was not sent. */
    public static TransportLostException unsent(TransportLostException reason) {
        return reason instanceof LocalResourceException
                ? new LocalResourceException(reason.getMessage(), reason, false)
                : new TransportLostException(reason.getMessage(), reason, false);
    }

    /** The failure of a lease. It is handled as a lack of resources of a device: the attempt is repeated. */
    public static RdmaException noMemory(MemoryRefusedException cause) {
        return new RdmaException(RdmaException.Kind.RESOURCES, cause.getMessage(), cause);
    }

    public static String seconds(Duration time) {
        long millis = time.toMillis();
        return millis % 1000 == 0 ? Long.toString(millis / 1000) : Double.toString(millis / 1000.0);
    }
}
