package io.verbena.verbs.natives.internal;

import org.osgi.service.component.ComponentContext;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;

/** Enables the provider where the libraries that it needs are installed, and says what to install where not. */
@Component(
        immediate = true,
        service = {})
public final class NativeStarter {
    /** What loads the libraries. */
    interface Loader {
        void load() throws NativeUnavailableException;
    }

    @Activate
    public NativeStarter(ComponentContext context) {
        this(context, NativeLibraries::load);
    }

    NativeStarter(ComponentContext context, Loader loader) {
        try {
            loader.load();
            context.enableComponent(NativeProvider.COMPONENT);
        } catch (NativeUnavailableException e) {
            Log.LOGGER.info("The provider native is not there: {}", e.getMessage());
        }
    }
}
