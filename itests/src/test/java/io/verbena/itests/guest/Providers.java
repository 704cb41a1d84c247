package io.verbena.itests.guest;

import io.verbena.memory.internal.DirectMemory;
import io.verbena.runtime.SystemRuntime;
import io.verbena.verbs.RdmaProvider;
import io.verbena.verbs.Shortcoming;
import io.verbena.verbs.iwarp.internal.provider.IwarpProvider;
import io.verbena.verbs.natives.internal.provider.NativeProvider;
import java.util.Locale;
import java.util.Set;

/** Creates providers by name, and ends them. */
enum Providers {
    IWARP {
        @Override
        RdmaProvider create() {
            return new IwarpProvider(new SystemRuntime(), new DirectMemory());
        }

        @Override
        void destroy(RdmaProvider provider) {
            ((IwarpProvider) provider).deactivate();
        }
    },

    NATIVE {
        @Override
        RdmaProvider create() throws Exception {
            return new NativeProvider();
        }

        @Override
        void destroy(RdmaProvider provider) {
            ((NativeProvider) provider).deactivate();
        }

        @Override
        Set<Shortcoming> shortcomings() {
            return SoftDevices.shortcomingsOfNamed();
        }
    };

    abstract RdmaProvider create() throws Exception;

    abstract void destroy(RdmaProvider provider) throws Exception;

    /** The shortcomings that the tests allow the provider. */
    Set<Shortcoming> shortcomings() {
        return Set.of();
    }

    /** The provider that a system property names; iwarp where it is not set. */
    static Providers named(String property) {
        return valueOf(System.getProperty(property, "iwarp").toUpperCase(Locale.ROOT));
    }

    /** The constant that has created a provider. */
    static Providers of(RdmaProvider provider) {
        return valueOf(provider.name().toUpperCase(Locale.ROOT));
    }
}
