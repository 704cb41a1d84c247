package io.verbena.cli.internal.nfs.transfer;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.cli.Invocation;
import io.verbena.cli.Text;
import io.verbena.nfs.transfer.CopyFailure;
import io.verbena.nfs.transfer.CopyListener;
import io.verbena.nfs.transfer.CopyStep;
import java.io.BufferedWriter;
import java.io.Closeable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * A log of a transfer in a local file: a line for each step that was taken, each failure, and the end. A line is in the
 * file as soon as it is written. Thread safe.
 */
final class TransferLog implements CopyListener, Closeable {
    private final BufferedWriter writer;
    private final String name;
    private final Consumer<String> notes;
    private final Supplier<Instant> now;

    @GuardedBy("this")
    private boolean hasFailed;

    /**
     * Opens a log. New lines are added to a file that is there.
     *
     * @param name the local path as the user wrote it
     * @param invocation where the path is looked for
     * @param notes told once if the log cannot be written
     * @param now the clock
     */
    TransferLog(String name, Invocation invocation, Consumer<String> notes, Supplier<Instant> now) throws IOException {
        this.name = name;
        this.notes = notes;
        this.now = now;
        try {
            writer = Files.newBufferedWriter(
                    TransferWords.localPath(name, invocation),
                    StandardCharsets.UTF_8,
                    StandardOpenOption.CREATE,
                    StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw TransferWords.about("--log-file", name, e);
        }
    }

    @Override
    public void done(CopyStep step) {
        add(TransferWords.step(step));
    }

    @Override
    public void failed(CopyFailure failure) {
        add("failed " + failure.path() + ": " + TransferWords.reason(failure));
    }

    @Override
    public void retried(CopyFailure failure) {
        add("to be tried again " + failure.path() + ": " + TransferWords.reason(failure));
    }

    /** Adds a line with the time. */
    synchronized void add(String line) {
        try {
            writer.write(Text.time(now.get()) + " " + Text.printable(line) + "\n");
            writer.flush();
        } catch (IOException e) {
            if (!hasFailed) {
                hasFailed = true;
                notes.accept("--log-file " + name + " cannot be written: " + TransferWords.reasonOf(e));
            }
        }
    }

    @Override
    public synchronized void close() throws IOException {
        writer.close();
    }
}
