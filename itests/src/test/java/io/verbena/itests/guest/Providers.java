package io.verbena.itests.guest;

import io.verbena.verbs.RdmaProvider;
import io.verbena.verbs.Shortcoming;
import io.verbena.verbs.iwarp.internal.IwarpProvider;
import io.verbena.verbs.natives.internal.NativeProvider;
import java.util.Locale;
import java.util.Set;

/** Makes providers by their names, and ends them. */
enum Providers {
    IWARP {
        @Override
        RdmaProvider create() {
            return new IwarpProvider();
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

    /** What the contract excuses it for. */
    Set<Shortcoming> shortcomings() {
        return Set.of();
    }

    /** The one that a system property names; iwarp where it is not set. */
    static Providers named(String property) {
        return valueOf(System.getProperty(property, "iwarp").toUpperCase(Locale.ROOT));
    }

    /** The one that has made a provider. */
    static Providers of(RdmaProvider provider) {
        return valueOf(provider.name().toUpperCase(Locale.ROOT));
    }
}
