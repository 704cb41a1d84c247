package io.verbena.verbs.natives.internal.provider;

import io.verbena.verbs.MissingProvider;
import io.verbena.verbs.ProviderNames;
import io.verbena.verbs.natives.internal.Log;
import io.verbena.verbs.natives.internal.library.NativeException;
import io.verbena.verbs.natives.internal.library.NativeLibraries;
import io.verbena.verbs.natives.internal.library.NativeUnavailableException;
import io.verbena.verbs.natives.internal.library.Rdmacm;
import org.osgi.service.component.ComponentContext;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;

/**
 * Enables the provider where its libraries and a device are present; else logs what is missing, and tells it as a
 * {@link MissingProvider}, which the framework unregisters when the bundle stops.
 */
@Component(
        name = "io.verbena.verbs.natives.internal.NativeStarter",
        immediate = true,
        service = {})
public final class NativeStarter {
    /** Loads the libraries. */
    interface Loader {
        Rdmacm load() throws NativeUnavailableException;
    }

    /** What is missing. */
    private record Missing(String name, String reason) implements MissingProvider {}

    @Activate
    public NativeStarter(ComponentContext context) {
        this(context, () -> NativeLibraries.load().cm());
    }

    NativeStarter(ComponentContext context, Loader loader) {
        try {
            requireDevices(loader.load());
            context.enableComponent(NativeProvider.COMPONENT);
        } catch (NativeUnavailableException e) {
            Log.LOGGER.info("The provider native is not there: {}", e.getMessage());
            context.getBundleContext()
                    .registerService(MissingProvider.class, new Missing(ProviderNames.DEVICES, e.getMessage()), null);
        }
    }

    /**
     * Requires a device: librdmacm creates no event channel without one, nor without the kernel's connection manager
     * for user space.
     */
    private static void requireDevices(Rdmacm cm) throws NativeUnavailableException {
        try {
            cm.destroyEventChannel(cm.createEventChannel());
        } catch (NativeException e) {
            throw new NativeUnavailableException(
                    "this host has no RDMA device that can be used, or its kernel lacks the modules rdma_ucm and"
                            + " ib_uverbs; once it has, start the bundle again (" + e.getMessage() + ")",
                    e);
        }
    }
}
