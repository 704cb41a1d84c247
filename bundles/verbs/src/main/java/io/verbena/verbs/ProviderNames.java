package io.verbena.verbs;

import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Set;

/** The names of this project's providers, and what users may name. May be used from any thread. */
public final class ProviderNames {
    /** The name of the provider in software, which needs no device. */
    public static final String SOFTWARE = "iwarp";

    /** The name of the provider of this host's devices. */
    public static final String DEVICES = "native";

    /** In place of a name: whichever fits. */
    public static final String AUTO = "auto";

    private ProviderNames() {}

    /** Whether that is the provider in software. */
    public static boolean isSoftware(RdmaProvider provider) {
        return provider.name().equals(SOFTWARE);
    }

    /** What may be named: {@link #AUTO}, this project's providers, there or not, and those that are there. */
    public static Set<String> known(Collection<RdmaProvider> present) {
        Set<String> names = new LinkedHashSet<>();
        names.add(AUTO);
        names.add(DEVICES);
        names.add(SOFTWARE);
        present.forEach(provider -> names.add(provider.name()));
        return names;
    }

    /** What a user reads who has named a provider that is not {@link #known}. */
    public static String unknown(String name, Collection<RdmaProvider> present) {
        return "no RDMA provider is called '" + name + "'; known ones are " + String.join(", ", known(present));
    }
}
