package io.verbena.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.conformance.ProofListenerTest.Example;
import io.verbena.conformance.ProofListenerTest.Inheriting;
import io.verbena.conformance.ProofListenerTest.Versions;
import org.junit.jupiter.api.Test;

final class OneTestTest {
    @Test
    void shouldTellHowATestWent() {
        assertThat(OneTest.run(Example.class, "shouldPass")).isEqualTo(OneTest.PASSED);
        assertThat(OneTest.run(Example.class, "shouldFail")).isEqualTo(OneTest.FAILED);
        assertThat(OneTest.run(Example.class, "shouldBeGivenUp")).isEqualTo(OneTest.NONE_RAN);
        assertThat(OneTest.run(Example.class, "shouldNotBeThere")).isEqualTo(OneTest.NONE_RAN);
    }

    @Test
    void shouldRunEveryInvocation() {
        assertThat(OneTest.run(Example.class, "shouldPassTwice")).isEqualTo(OneTest.PASSED);
        assertThat(OneTest.run(Example.class, "shouldFailOnce")).isEqualTo(OneTest.FAILED);
    }

    @Test
    void shouldRunEveryInvocationOfAClass() {
        assertThat(OneTest.run(Versions.class, "shouldPassInBoth")).isEqualTo(OneTest.PASSED);
        assertThat(OneTest.run(Versions.class, "shouldFailInOne")).isEqualTo(OneTest.FAILED);
    }

    @Test
    void shouldRunWhatIsInherited() {
        assertThat(OneTest.run(Inheriting.class, "shouldBeInherited")).isEqualTo(OneTest.PASSED);
    }
}
