package io.verbena.nfs.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.LocalDateTime;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests the words of limits. 2026-01-05 is a Monday. */
class RateTimetableTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "10M|2026-01-05T00:00|10000000",
                "off|2026-01-05T00:00|0",
                "7|2026-01-05T00:00|7",
                "2Ki|2026-01-05T00:00|2048",
                "08:00,512k 19:00,10M 23:00,off|2026-01-05T07:59|0",
                "08:00,512k 19:00,10M 23:00,off|2026-01-05T08:00|512000",
                "08:00,512k 19:00,10M 23:00,off|2026-01-05T22:59|10000000",
                "23:00,off 08:00,512k|2026-01-06T23:00|0",
                "Sat-08:00,2k 08:00,1k|2026-01-10T09:00|2000",
                "08:00,1k Sat-10:00,2k|2026-01-10T10:00|2000",
                "08:00,1k Sat-10:00,2k|2026-01-11T07:00|2000",
                "Wed-00:00,3k|2026-01-05T00:00|3000",
            })
    void shouldGiveTheRateOfATime(String text, LocalDateTime time, long rate) {
        assertThat(RateTimetable.parse(text).rateAt(time)).isEqualTo(rate);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "0|0 is no rate: it is a number of octets a second, as 500k, 10M or 1G",
                "10X|10X is no rate",
                "5i|5i is no rate",
                "99999999999G|99999999999G is no rate",
                "08:00,512k 9,1M|9,1M is no time and rate, as 08:00,512k",
                "24:00,1M|the time is from 00:00 to 23:59",
                "Foo-10:00,1M|Foo is no day",
                "''|is no rate"
            })
    void shouldRefuseWhatIsNone(String text, String message) {
        assertThatThrownBy(() -> RateTimetable.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(message);
    }
}
