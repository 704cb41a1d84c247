package io.verbena.verbs.natives.internal;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** What a test has logged, which goes to the standard error stream. */
public final class CapturedLog implements BeforeEachCallback, AfterEachCallback {
    private final ByteArrayOutputStream log = new ByteArrayOutputStream();
    private PrintStream before;

    @Override
    public void beforeEach(ExtensionContext context) {
        before = System.err;
        System.setErr(new PrintStream(log, true, StandardCharsets.UTF_8));
    }

    @Override
    public void afterEach(ExtensionContext context) {
        System.setErr(before);
    }

    /** All of it so far. */
    @Override
    public String toString() {
        return log.toString(StandardCharsets.UTF_8);
    }
}
