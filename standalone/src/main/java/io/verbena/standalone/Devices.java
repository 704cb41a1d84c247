package io.verbena.standalone;

import io.verbena.verbs.RdmaProvider;
import io.verbena.verbs.natives.internal.NativeProvider;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The devices of this host, where jnr-ffi is on the class path, and the libraries are on the host. */
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
        } catch (Exception | LinkageError e) { // whatever is missing, there is the provider in software
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
