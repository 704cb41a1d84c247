package io.verbena.verbs;

import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Set;

/** The names of this project's providers, and the names that users may choose. Any thread may use it. */
public final class ProviderNames {
    /** The name of the provider in software, which needs no device. */
    public static final String SOFTWARE = "iwarp";

    /** The name of the provider of this host's devices. */
    public static final String DEVICES = "native";

    /** Chosen in place of a name: any suitable provider. */
    public static final String AUTO = "auto";

    private ProviderNames() {}

    /** Whether a provider is the one in software. */
    public static boolean isSoftware(RdmaProvider provider) {
        return provider.name().equals(SOFTWARE);
    }

    /**
     * The names that users may choose: {@link #AUTO}, this project's providers even if missing, and all present
     * providers.
     */
    public static Set<String> known(Collection<RdmaProvider> present) {
        Set<String> names = new LinkedHashSet<>();
        names.add(AUTO);
        names.add(DEVICES);
        names.add(SOFTWARE);
        present.forEach(provider -> names.add(provider.name()));
        return names;
    }

    /** The message for a user whose provider is not {@link #known}. */
    public static String unknown(String name, Collection<RdmaProvider> present) {
        return "no RDMA provider is called '" + name + "'; known ones are " + String.join(", ", known(present));
    }
}
