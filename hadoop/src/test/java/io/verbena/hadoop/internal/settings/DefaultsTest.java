package io.verbena.hadoop.internal.settings;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;

/** Keys of the jar, and the same keys in a file of the site; core-site.xml is such a file. */
final class DefaultsTest {
    @Test
    void shouldLeaveTheSiteWhatItHasSet() {
        Configuration.addDefaultResource("settings/site.xml");
        Defaults.add("settings/of-site.xml");
        Defaults.add("settings/of-jar.xml");
        Configuration configuration = new Configuration();
        assertThat(configuration.get("test.of.site")).isEqualTo("site");
        assertThat(configuration.get("test.of.jar")).isEqualTo("jar");
    }

    @Test
    void shouldAddNothingThatIsMissing() {
        Defaults.add("settings/none.xml");
        assertThat(new Configuration().get("test.none")).isNull();
    }
}
