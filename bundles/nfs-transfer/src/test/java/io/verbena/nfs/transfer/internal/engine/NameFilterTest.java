package io.verbena.nfs.transfer.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.nfs.transfer.CopySummary;
import io.verbena.nfs.transfer.NameFilter;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the names that a filter selects and leaves out. */
class NameFilterTest extends TransferCase {
    @ParameterizedTest
    @CsvSource(
            delimiter = ' ',
            value = {
                "*.txt a.txt true",
                "*.txt dir/a.txt true",
                "*.txt a.txt2 false",
                "*.txt a/txt false",
                "/*.txt dir/a.txt false",
                "dir/*.txt dir/a.txt true",
                "dir/*.txt x/dir/a.txt false",
                "**/dir/*.txt x/y/dir/a.txt true",
                "**/dir/*.txt dir/a.txt true",
                "dir/** dir/a/b true",
                "?.c x.c true",
                "?.c xy.c false",
                "[a-c]x bx true",
                "[!a-c]x bx false",
                "[!a-c]x dx true",
                "{one,two}.* two.x true",
                "{one,two}.* three.x false",
                "a+b a+b true",
                "a+b aab false",
                "x\\*y x*y true",
                "x\\*y xzy false",
                "a,b a,b true"
            })
    void shouldMatchAsShellsDo(String glob, String path, boolean isMatch) {
        assertThat(new NameFilter(List.of(glob), List.of()).takes(path, false)).isEqualTo(isMatch);
        assertThat(new NameFilter(List.of(), List.of(glob)).takes(path, false)).isNotEqualTo(isMatch);
    }

    @ParameterizedTest
    @ValueSource(strings = {"[a", "{a,b", "[z-a]"})
    void shouldRefuseWhatIsNoPattern(String glob) {
        assertThatThrownBy(() -> new NameFilter(List.of(glob), List.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("'" + glob + "' is no pattern: it has a ");
    }

    @Test
    void shouldTakeWhatIsIncludedAndNotExcluded() throws Exception {
        for (String file : List.of("a.txt", "a.bin", "d/b.txt", "d/tmp.txt", "cache/c.txt", "none/x.bin")) {
            write(served.resolve("tree").resolve(file), 1);
        }
        NameFilter filter = new NameFilter(List.of("*.txt"), List.of("tmp*", "/cache"));

        CopySummary summary = host.engine()
                .copy(List.of(there("/tree")), here("copy"), TREE.withFilter(filter))
                .run();

        assertThat(summary.files()).isEqualTo(2);
        assertThat(names(local.resolve("copy"))).containsExactly("a.txt", "d");
        assertThat(names(local.resolve("copy/d"))).containsExactly("b.txt");
    }
}
