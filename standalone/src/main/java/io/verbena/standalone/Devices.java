package io.verbena.standalone;

import io.verbena.verbs.RdmaProvider;
import io.verbena.verbs.natives.internal.provider.NativeProvider;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The RDMA provider of this host's devices. It exists if jnr-ffi is on the class path and the libraries are installed.
 */
final class Devices implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Devices.class);
    private static final String JNR = "jnr.ffi.LibraryLoader";

    private final NativeProvider provider;

    private Devices(NativeProvider provider) {
        this.provider = provider;
    }

    static Optional<Devices> find() {
        try {
            Class.forName(JNR, false, Devices.class.getClassLoader());
            return Optional.of(new Devices(new NativeProvider()));
        } catch (ClassNotFoundException e) {
            LOG.debug("jnr-ffi is not on the class path: the devices of this host are not used");
        } catch (Exception | LinkageError e) { // without jnr-ffi or the libraries, the provider in software is used
            LOG.info("The devices of this host are not used: {}", e.getMessage());
        }
        return Optional.empty();
    }

    RdmaProvider provider() {
        return provider;
    }

    @Override
    public void close() {
        provider.deactivate();
    }
}
