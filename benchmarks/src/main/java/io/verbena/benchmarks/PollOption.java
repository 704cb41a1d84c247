package io.verbena.benchmarks;

import io.verbena.memory.MemoryBudget;
import io.verbena.runtime.SystemRuntime;
import io.verbena.verbs.iwarp.internal.provider.IwarpProvider;
import io.verbena.verbs.iwarp.internal.settings.IwarpSettings;
import java.util.Map;

/** The polling phase of provider iwarp in microseconds, by the system property {@code verbena.benchmark.poll}. */
final class PollOption {
    static final String PROPERTY = "verbena.benchmark.poll";

    private PollOption() {}

    static IwarpProvider provider(MemoryBudget memory) {
        Map<String, String> options = Map.of("poll", System.getProperty(PROPERTY, "0"));
        IwarpSettings usual = IwarpSettings.DEFAULT;
        return new IwarpProvider(usual.withDefaults(usual.defaults().with(options)), new SystemRuntime(), memory);
    }
}
