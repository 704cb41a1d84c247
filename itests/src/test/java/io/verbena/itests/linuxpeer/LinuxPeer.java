package io.verbena.itests.linuxpeer;

import static org.assertj.core.api.SoftAssertions.assertSoftly;

import io.verbena.itests.WireCapture;
import io.verbena.itests.WireReport;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Hands the tests of one run the same {@link LinuxGuest}, booted for the first class and ended after the last; captures
 * what goes over the wire between them, and has tshark judge it when the tests of a class are done.
 */
final class LinuxPeer implements ParameterResolver, BeforeAllCallback, AfterAllCallback {
    private static final ExtensionContext.Namespace NAMESPACE = ExtensionContext.Namespace.create(LinuxPeer.class);
    private static final Path CAPTURES = Path.of("target", "linux-peer");

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == LinuxGuest.class;
    }

    @Override
    public LinuxGuest resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return guest(context);
    }

    private static LinuxGuest guest(ExtensionContext context) {
        return context.getRoot()
                .getStore(NAMESPACE)
                .getOrComputeIfAbsent(LinuxGuest.class, key -> boot(), LinuxGuest.class);
    }

    private static LinuxGuest boot() {
        try {
            return LinuxGuest.boot();
        } catch (IOException e) {
            throw new IllegalStateException(e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while the guest boots", e);
        }
    }

    @Override
    public void beforeAll(ExtensionContext context) throws IOException {
        if (!context.getRequiredTestClass().getAnnotation(AgainstLinux.class).judged()) {
            return;
        }
        LinuxGuest guest = guest(context);
        Files.createDirectories(CAPTURES);
        Path file = CAPTURES.resolve(context.getRequiredTestClass().getSimpleName() + ".pcap");
        String filter = "tcp port " + guest.nfs().getPort() + " or tcp port " + guest.hostPort();
        context.getStore(NAMESPACE).put(WireCapture.class, WireCapture.start(file, filter));
    }

    @Override
    public void afterAll(ExtensionContext context) throws IOException, InterruptedException {
        WireCapture capture = context.getStore(NAMESPACE).get(WireCapture.class, WireCapture.class);
        if (capture == null) {
            return; // the guest has not booted, or nothing is to be judged
        }
        Path captured = capture.stop();
        Path aligned = captured.resolveSibling("aligned-" + captured.getFileName());
        WireReport report = WireReport.of(captured, aligned);
        // connections may be cut here, in the middle of a frame: octets left at an end are no fault
        assertSoftly(softly -> {
            softly.assertThat(report.missingOctets())
                    .as("octets missing in the capture")
                    .isZero();
            softly.assertThat(report.unread())
                    .as("frames not read, %s", aligned)
                    .isEmpty();
            softly.assertThat(report.malformed()).as("malformed, %s", aligned).isEmpty();
            softly.assertThat(report.goodCrcs()).as("good CRCs").isPositive();
            softly.assertThat(report.badCrcs()).as("bad CRCs, %s", aligned).isZero();
            softly.assertThat(report.sentTwice())
                    .as("messages sent twice on a connection, %s", aligned)
                    .isEmpty();
            softly.assertThat(report.fpdus()).as("FPDUs seen").isPositive();
        });
        Files.delete(captured);
        Files.delete(aligned);
    }
}
