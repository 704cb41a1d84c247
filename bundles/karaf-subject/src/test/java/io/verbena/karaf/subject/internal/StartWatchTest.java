package io.verbena.karaf.subject.internal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.osgi.framework.BundleException;

final class StartWatchTest {
    private static final String REASON = "Unable to resolve org.apache.karaf.shell.core [24](R 24.0): missing"
            + " requirement [org.apache.karaf.shell.core [24](R 24.0)] osgi.wiring.package;"
            + " (&(osgi.wiring.package=org.jline.reader)(version>=3.30.0)) [caused by:"
            + " Unable to resolve org.jline [27](R 27.0): missing requirement"
            + " [org.jline [27](R 27.0)] osgi.wiring.package; (osgi.wiring.package=org.nosuch)]"
            + " Unresolved requirements: [[org.apache.karaf.shell.core [24](R 24.0)] osgi.wiring.package; (x)]";

    @Test
    void shouldNameTheBundleThatIsTheCauseAndWhatItLacks() {
        assertThat(StartWatch.reason("io.verbena.cli", new BundleException(REASON, BundleException.RESOLVE_ERROR)))
                .isEqualTo("the bundle org.jline needs what no bundle provides:"
                        + " osgi.wiring.package; (osgi.wiring.package=org.nosuch)");
    }

    @Test
    void shouldTellWhyAnActivatorFails() {
        Throwable failure = new BundleException(
                "Activator start error in bundle io.verbena.cli [58].", new IllegalStateException("no room\nat all"));

        assertThat(StartWatch.reason("io.verbena.cli", failure))
                .isEqualTo("the bundle io.verbena.cli fails: java.lang.IllegalStateException: no room at all");
    }

    @Test
    void shouldTellWhyAnActivatorIsMissing() {
        Throwable failure = new BundleException(
                "Not found: io.verbena.Missing",
                BundleException.ACTIVATOR_ERROR,
                new ClassNotFoundException("io.verbena.Missing"));

        assertThat(StartWatch.reason("io.verbena.cli", failure))
                .isEqualTo("the bundle io.verbena.cli fails: java.lang.ClassNotFoundException: io.verbena.Missing");
    }

    @Test
    void shouldSayThatABundleIsStopped() {
        assertThat(StartWatch.reason("io.verbena.cli", null)).isEqualTo("the bundle io.verbena.cli is stopped");
    }
}
