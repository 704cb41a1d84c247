package io.verbena.cli.internal.nfs.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.apache.karaf.shell.api.action.Option;
import org.junit.jupiter.api.Test;

/** The words of options that are set. */
final class OptionWordsTest {
    /** Options of a base class. */
    static class Base {
        @Option(name = "--value", aliases = "-v")
        String value = "";

        @Option(name = "--repeated", multiValued = true)
        List<String> repeated = List.of();
    }

    /** More options. */
    static final class Derived extends Base {
        @Option(name = "--flag")
        boolean isFlag;

        @Option(name = "--left-out")
        boolean isLeftOut = true;

        String plain = "no option";
    }

    @Test
    void shouldHaveNoWordsOfOptionsThatAreNotGiven() {
        assertThat(OptionWords.of(new Derived(), "--left-out", Derived.class, Base.class))
                .isEmpty();
    }

    @Test
    void shouldHaveEachValueInTheOrderOfNames() {
        Derived command = new Derived();
        command.isFlag = true;
        command.value = "1 2";
        command.repeated = List.of("b", "a");

        assertThat(OptionWords.of(command, "--left-out", Derived.class, Base.class))
                .containsExactly("--flag", "--repeated", "b", "--repeated", "a", "--value", "1 2");
        assertThat(OptionWords.of(command, "", Derived.class)).containsExactly("--flag", "--left-out");
        assertThat(command.plain).isNotEmpty();
    }
}
