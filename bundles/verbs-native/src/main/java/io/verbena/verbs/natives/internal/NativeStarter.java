package io.verbena.verbs.natives.internal;

import org.osgi.service.component.ComponentContext;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;

/** Enables the provider where there are the libraries and devices that it needs, and says what is missing where not. */
@Component(
        immediate = true,
        service = {})
public final class NativeStarter {
    /** What loads the libraries. */
    interface Loader {
        Rdmacm load() throws NativeUnavailableException;
    }

    @Activate
    public NativeStarter(ComponentContext context) {
        this(context, () -> NativeLibraries.load().rdmacm());
    }

    NativeStarter(ComponentContext context, Loader loader) {
        try {
            requireDevices(loader.load());
            context.enableComponent(NativeProvider.COMPONENT);
        } catch (NativeUnavailableException e) {
            Log.LOGGER.info("The provider native is not there: {}", e.getMessage());
        }
    }

    /** The library makes no channel without a device, nor where the kernel has no connection manager for user space. */
    private static void requireDevices(Rdmacm cm) throws NativeUnavailableException {
        try {
            cm.destroyEventChannel(cm.createEventChannel());
        } catch (NativeException e) {
            throw new NativeUnavailableException(
                    "this host has no RDMA device that can be used, or its kernel not the modules rdma_ucm and ib_uverbs;"
                            + " once it has, start the bundle again (" + e.getMessage() + ")",
                    e);
        }
    }
}
