package io.verbena.simulation.coverage;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.simulation.Seeds;
import io.verbena.simulation.world.FaultChoice;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** States of rewritten classes are counted, and nothing else changes. */
final class StateWeaverTest {
    private static final StateMachine LIGHTS = new StateMachine("lights", Light.class.getName());

    enum Light {
        RED,
        AMBER,
        GREEN,
        BROKEN
    }

    /** Sets states in all the ways that the bundles do. */
    public static final class Crossing implements Runnable {
        private final AtomicReference<Light> other = new AtomicReference<>(Light.RED);
        private Light one = Light.RED;
        private boolean isBroken;

        @Override
        public void run() {
            one = Light.GREEN;
            one = isBroken ? Light.BROKEN : Light.AMBER;
            other.set(Light.GREEN);
            if (!other.compareAndSet(Light.RED, Light.BROKEN) && other.compareAndSet(Light.GREEN, Light.AMBER)) {
                isBroken = one == Light.BROKEN;
            }
            if (isBroken) {
                one = Light.RED;
            }
        }

        @Override
        public String toString() {
            return one + " " + other;
        }
    }

    private static final class Loader extends ClassLoader {
        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.equals(Crossing.class.getName()) && !name.equals(Light.class.getName())) {
                return super.loadClass(name, resolve);
            }
            Class<?> loaded = findLoadedClass(name);
            if (loaded != null) {
                return loaded;
            }
            try (InputStream in = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
                byte[] octets = StateWeaver.weave(in.readAllBytes(), StateCoverage.present(), List.of(LIGHTS));
                return defineClass(name, octets, 0, octets.length);
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }
    }

    @Test
    void shouldCountTransitionsAndNameWhatIsMissing() throws Exception {
        Runnable crossing = (Runnable) new Loader()
                .loadClass(Crossing.class.getName())
                .getDeclaredConstructor()
                .newInstance();
        crossing.run();
        crossing.run();

        assertThat(crossing).hasToString("AMBER AMBER");
        String report = StateCoverage.present().report();
        assertThat(report.substring(report.indexOf("lights: ")).lines().map(String::strip))
                .containsSequence(
                        "lights: " + Light.class.getName(),
                        "RED                     1  from {new=1}",
                        "AMBER                   4  from {GREEN=4}",
                        "GREEN                   4  from {AMBER=2, RED=2}",
                        "states never entered: BROKEN")
                .anyMatch(line -> line.matches("places that never set one: StateWeaverTest\\$Crossing:[0-9]+ BROKEN,"
                        + " StateWeaverTest\\$Crossing:[0-9]+ RED"));
    }

    @Test
    void shouldNotChangeAWorld() throws Exception {
        ClassLoader loader = WatchingLoader.over(getClass().getClassLoader());
        Class<?> choice = loader.loadClass(FaultChoice.class.getName());
        Object outcome = loader.loadClass(Seeds.class.getName())
                .getMethod("run", long.class, choice, Consumer.class)
                .invoke(null, 3L, choice.getField("ALL").get(null), null);
        Object watched = outcome.getClass().getMethod("hash").invoke(outcome);

        assertThat(watched).isEqualTo(Seeds.run(3, FaultChoice.ALL, null).hash());
    }

    @Test
    void shouldKnowTheClassOfEachMachine() throws Exception {
        for (StateMachine each : StateMachine.ALL) {
            assertThat(Class.forName(each.states(), false, getClass().getClassLoader()))
                    .as(each.name())
                    .matches(Class::isEnum);
        }
    }

    @Test
    void shouldReportAMachineWhoseClassWasNotLoaded() {
        assertThat(new StateCoverage().report())
                .contains(StateMachine.ALL.get(0).states() + " was not loaded");
    }
}
