package io.verbena.hadoop.internal.settings;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.junit.jupiter.api.Test;

final class HadoopVersionTest {
    @Test
    void shouldRefuseOlderVersionsAndSayWhatToDo() {
        assertThatThrownBy(() -> HadoopVersion.check("3.3.6"))
                .isInstanceOf(IOException.class)
                .hasMessage(
                        "verbena-hadoop is for Hadoop 3.4 and 3.5, and the class path has Hadoop 3.3.6: use the jars"
                                + " of Hadoop 3.4 or 3.5");
        assertThatThrownBy(() -> HadoopVersion.check("2.10.2")).isInstanceOf(IOException.class);
    }

    @Test
    void shouldTakeTestedAndNewerVersions() {
        for (String version : new String[] {"3.4.0", "3.5.0", "3.5.0-SNAPSHOT", "3.6.1", "4.0", "Unknown"}) {
            assertThatCode(() -> HadoopVersion.check(version)).doesNotThrowAnyException();
        }
    }
}
