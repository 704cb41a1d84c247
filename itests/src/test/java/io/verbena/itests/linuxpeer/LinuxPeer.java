package io.verbena.itests.linuxpeer;

import static org.assertj.core.api.SoftAssertions.assertSoftly;

import io.verbena.itests.WireCapture;
import io.verbena.itests.WireReport;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Gives all tests of a run the same {@link LinuxGuest}, booted for the first class and ended after the last one. Tests
 * that run the project's programs in a guest share a second guest, since they may crash the kernel through its drivers
 * for soft devices. A class that stops Linux's server during transfers has a guest of its own. A class that finds the
 * shared guest given up by an earlier class has a new one. Tests that need the
 * distribution in the guest share one {@link GuestVerbena}. The traffic on the wire is captured, and tshark checks it
 * after the tests of a class.
 */
final class LinuxPeer implements ParameterResolver, BeforeAllCallback, AfterAllCallback {
    private static final ExtensionContext.Namespace NAMESPACE = ExtensionContext.Namespace.create(LinuxPeer.class);
    private static final Path CAPTURES = Path.of("target", "linux-peer");

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        Class<?> type = parameter.getParameter().getType();
        return type == LinuxGuest.class || type == GuestVerbena.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == GuestVerbena.class ? verbena(context) : guest(context);
    }

    /** The distribution in the guest, started for the first class that needs it. */
    private static GuestVerbena verbena(ExtensionContext context) {
        LinuxGuest guest = guest(context); // so that the guest ends after the distribution
        return context.getRoot()
                .getStore(NAMESPACE)
                .getOrComputeIfAbsent(GuestVerbena.class, key -> start(guest), GuestVerbena.class);
    }

    private static GuestVerbena start(LinuxGuest guest) {
        try {
            return new GuestVerbena(guest);
        } catch (IOException e) {
            throw new IllegalStateException(e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while the distribution starts in the guest", e);
        }
    }

    private static LinuxGuest guest(ExtensionContext context) {
        boolean inside = settings(context).inside();
        ExtensionContext holder = settings(context).alone() ? ofClass(context) : context.getRoot();
        return holder.getStore(NAMESPACE).getOrComputeIfAbsent(key(context), key -> boot(inside), LinuxGuest.class);
    }

    /** A class with a guest of its own has a key of its own, since a store also looks into the stores above it. */
    private static String key(ExtensionContext context) {
        String guest = settings(context).inside() ? "inside" : "peer";
        return settings(context).alone() ? guest + " of " + context.getRequiredTestClass() : guest;
    }

    /** Ends the shared guest if an earlier class has given it up, so that this class boots another one. */
    private static void endGivenUp(ExtensionContext context) throws IOException {
        ExtensionContext.Store store = context.getRoot().getStore(NAMESPACE);
        LinuxGuest guest = store.get(key(context), LinuxGuest.class);
        if (guest != null && guest.isGivenUp()) {
            store.remove(key(context));
            guest.close();
        }
    }

    private static ExtensionContext ofClass(ExtensionContext context) {
        ExtensionContext each = context;
        while (each.getTestMethod().isPresent()) {
            each = each.getParent().orElseThrow();
        }
        return each;
    }

    private static AgainstLinux settings(ExtensionContext context) {
        return context.getRequiredTestClass().getAnnotation(AgainstLinux.class);
    }

    private static LinuxGuest boot(boolean inside) {
        try {
            return inside ? LinuxGuest.bootWithProject() : LinuxGuest.boot();
        } catch (IOException e) {
            throw new IllegalStateException(e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while the guest boots", e);
        }
    }

    @Override
    public void beforeAll(ExtensionContext context) throws IOException {
        endGivenUp(context);
        if (!settings(context).judged()) {
            return;
        }
        LinuxGuest guest = guest(context);
        Files.createDirectories(CAPTURES);
        Path file = CAPTURES.resolve(context.getRequiredTestClass().getSimpleName() + ".pcap");
        String filter = Stream.of(guest.nfs().getPort(), guest.own().getPort(), guest.hostPort())
                .map(port -> "tcp port " + port)
                .collect(Collectors.joining(" or "));
        context.getStore(NAMESPACE).put(WireCapture.class, WireCapture.start(file, filter));
    }

    @Override
    public void afterAll(ExtensionContext context) throws IOException, InterruptedException {
        WireCapture capture = context.getStore(NAMESPACE).get(WireCapture.class, WireCapture.class);
        if (capture == null) {
            return; // the guest has not booted, or there is nothing to check
        }
        Path captured = capture.stop();
        Path aligned = captured.resolveSibling("aligned-" + captured.getFileName());
        WireReport report = WireReport.of(captured, aligned);
        // connections may be broken within a frame here, so that octets left at an end are not a fault
        assertSoftly(softly -> {
            softly.assertThat(report.missingOctets())
                    .as("octets missing in the capture")
                    .isZero();
            softly.assertThat(report.unread())
                    .as("frames not read, %s", aligned)
                    .isEmpty();
            softly.assertThat(report.malformed()).as("malformed, %s", aligned).isEmpty();
            if (settings(context).crc()) {
                softly.assertThat(report.goodCrcs()).as("good CRCs").isPositive();
            } else {
                softly.assertThat(report.goodCrcs()).as("CRCs without nocrc").isZero();
            }
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
