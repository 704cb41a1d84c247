package io.verbena.cli.internal.nfs.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.cli.ExitStatus;
import io.verbena.nfs.transfer.ContentMismatchException;
import io.verbena.nfs.transfer.CopyFailure;
import io.verbena.nfs.transfer.CopySummary;
import io.verbena.nfs.transfer.CopySummary.Kept;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests the text that users read about a copy, and the exit status of a script. */
class SummaryTextTest {
    private static final CopyFailure DENIED =
            new CopyFailure("a:/x", new IOException("a:/x: permission denied", new AccessDeniedException("x")));
    private static final CopyFailure WRONG = new CopyFailure("a:/y", new ContentMismatchException("a:/y: is wrong"));

    private static CopySummary summary(long files, List<String> skipped, Kept besides, CopyFailure... failed) {
        return new CopySummary(files, 10, 0, 0, skipped, 0, 0, 0, besides, List.of(failed));
    }

    @Test
    void shouldTellWhatWasDone() {
        assertThat(SummaryText.of(new CopySummary(
                        2, 3_000_000, 1_500_000_000, 1, List.of(), 1, 8_388_608, 4, Kept.ALL, List.of())))
                .isEqualTo("2 files, 3000000 octets, 1.500 s, 2.0 MB/s; taken up again once, as the mount was replaced;"
                        + " kept 8388608 octets that were there; 1 file the same already; removed 4");
        assertThat(SummaryText.of(new CopySummary(1, 10, 0, 12, List.of(), 0, 0, 0, Kept.ALL, List.of())))
                .isEqualTo("1 file, 10 octets; taken up again 12 times, as the mount was replaced");
    }

    @Test
    void shouldTellWhatIsNotKept() {
        assertThat(SummaryText.of(summary(1, List.of("a:/pipe"), new Kept(2, 1, 1, 3), DENIED)))
                .isEqualTo(
                        "1 file, 10 octets; made 2 hard links; 1 hard link copied as a file of its own, -H keeps them;"
                                + " extended attributes of 1 file not kept, as NFS 4.1 has none;"
                                + " times of 3 symbolic links not kept;"
                                + " left out 1 that is neither file, directory nor link: a:/pipe; 1 failed");
        assertThat(SummaryText.of(summary(1, List.of(), new Kept(0, 2, 0, 1))))
                .contains("; 2 hard links copied as files of their own, -H keeps them; times of 1 symbolic link not "
                        + "kept");
    }

    @Test
    void shouldEndWithTheStatusOfWhatFailed() {
        assertThat(SummaryText.status(summary(1, List.of(), Kept.ALL))).isEqualTo(ExitStatus.OK);
        assertThat(SummaryText.status(summary(1, List.of("a:/pipe"), Kept.ALL))).isEqualTo(ExitStatus.PARTIAL);
        assertThat(SummaryText.status(summary(1, List.of(), Kept.ALL, DENIED))).isEqualTo(ExitStatus.PARTIAL);
        assertThat(SummaryText.status(summary(0, List.of(), Kept.ALL, DENIED))).isEqualTo(ExitStatus.PERMISSION);
        assertThat(SummaryText.status(summary(1, List.of(), Kept.ALL, DENIED, WRONG)))
                .isEqualTo(ExitStatus.CHECKSUM);
    }
}
