package io.verbena.verbs.selftest.internal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.verbs.ConnectionRequest;
import io.verbena.verbs.RdmaConnection;
import io.verbena.verbs.RdmaException;
import io.verbena.verbs.RdmaListener;
import io.verbena.verbs.RdmaProvider;
import io.verbena.verbs.selftest.SelfTestListener;
import io.verbena.verbs.selftest.SelfTestOptions;
import io.verbena.verbs.selftest.SelfTestStep;
import io.verbena.verbs.selftest.SelfTestStep.Outcome;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/** The listening end: one main connection and its side connections. */
final class SelfTestListenerImpl implements SelfTestListener, SelfTestResponder.Listener {
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    /** Longer than a measurement, during which the other end sends no request. */
    static final Duration SILENCE = SelfTestOptions.MAX_TIME.multipliedBy(2).plus(TIMEOUT);

    private static final int SIDE_CONNECTIONS = 2;

    private final Consumer<String> told;
    private final long session = new SecureRandom().nextLong();
    private final CompletableFuture<SelfTestStep> result = new CompletableFuture<>();
    private final RdmaListener listener;

    @GuardedBy("this")
    private SelfTestResponder main;

    @GuardedBy("this")
    private final Set<SelfTestResponder> sides = new HashSet<>();

    @GuardedBy("this")
    private long heardAt = System.nanoTime();

    SelfTestListenerImpl(RdmaProvider provider, InetSocketAddress local, Consumer<String> told) throws RdmaException {
        this.told = told;
        listener = provider.listen(local, Map.of(), this::onConnectionRequest);
    }

    @Override
    public InetSocketAddress localAddress() {
        return listener.localAddress();
    }

    private void onConnectionRequest(ConnectionRequest request) {
        Optional<HandshakeData> handshake = HandshakeData.decode(request.privateData());
        if (handshake.isEmpty()) {
            reject(request, HandshakeData.OTHER_VERSION, "it is no self-test");
        } else if (handshake.get().version() != HandshakeData.VERSION) {
            reject(
                    request,
                    HandshakeData.OTHER_VERSION,
                    "it speaks version " + handshake.get().version());
        } else {
            SelfTestResponder responder = new SelfTestResponder(this);
            if (admit(handshake.get(), responder)) {
                accept(request, responder);
            } else {
                reject(request, HandshakeData.BUSY, "another test is under way");
            }
        }
    }

    private void reject(ConnectionRequest request, int code, String reason) {
        told.accept("rejected " + request.remoteAddress() + ": " + reason);
        request.reject(new HandshakeData(HandshakeData.VERSION, code, 0).encode());
    }

    private synchronized boolean admit(HandshakeData handshake, SelfTestResponder responder) {
        if (handshake.code() == HandshakeData.MAIN && main == null) {
            main = responder;
            heardAt = System.nanoTime();
            return true;
        }
        return handshake.code() == HandshakeData.SIDE
                && main != null
                && handshake.session() == session
                && sides.size() < SIDE_CONNECTIONS
                && sides.add(responder);
    }

    private void accept(ConnectionRequest request, SelfTestResponder responder) {
        try {
            RdmaConnection connection = request.open(Endpoint.options(Map.of()), responder);
            try {
                responder.attach(connection);
                int code = connection.remoteInvalidation()
                        ? HandshakeData.WELCOME
                        : HandshakeData.WELCOME_WITHOUT_INVALIDATION;
                connection.accept(new HandshakeData(HandshakeData.VERSION, code, session).encode(), TIMEOUT);
            } catch (Throwable e) {
                connection.close();
                throw e;
            }
        } catch (RdmaException e) {
            ended(responder, e);
        } catch (Throwable e) {
            String why = "the connection could not be accepted: " + e;
            ended(responder, new RdmaException(RdmaException.Kind.RESOURCES, why, e));
        }
    }

    @Override
    public synchronized void heard() {
        heardAt = System.nanoTime();
    }

    @Override
    public void ended(SelfTestResponder responder, RdmaException cause) {
        synchronized (this) {
            sides.remove(responder); // a side connection ends with an error, as intended
            if (responder != main) {
                return;
            }
        }
        result.complete(outcome(responder.failedSteps(), cause));
    }

    private static SelfTestStep outcome(int failedSteps, RdmaException cause) {
        String name = "test by the other end";
        if (failedSteps < 0) {
            String why = cause == null ? "the other end has closed the connection" : cause.getMessage();
            return new SelfTestStep(name, Outcome.FAILED, "not finished: " + why);
        }
        return failedSteps == 0
                ? new SelfTestStep(name, Outcome.OK, "")
                : new SelfTestStep(name, Outcome.FAILED, "steps that have failed there: " + failedSteps);
    }

    @Override
    public SelfTestStep await() throws InterruptedException {
        while (true) {
            try {
                return result.get(1, TimeUnit.SECONDS);
            } catch (TimeoutException e) {
                endIfSilent();
            } catch (ExecutionException e) {
                throw new IllegalStateException(e.getCause());
            }
        }
    }

    private void endIfSilent() {
        SelfTestResponder silent;
        synchronized (this) {
            if (main == null || System.nanoTime() - heardAt < SILENCE.toNanos()) {
                return;
            }
            silent = main;
        }
        RdmaException cause = new RdmaException(
                RdmaException.Kind.TIMED_OUT, "the other end has said nothing for " + SILENCE.toSeconds() + " s");
        result.complete(outcome(silent.failedSteps(), cause));
    }

    @Override
    public void close() {
        listener.close();
        List<SelfTestResponder> last;
        synchronized (this) {
            last = new ArrayList<>(sides);
            if (main != null) {
                last.add(main);
            }
        }
        for (SelfTestResponder responder : last) {
            RdmaConnection connection = responder.connection();
            if (connection != null) {
                connection.close();
            }
        }
        result.complete(new SelfTestStep("test by the other end", Outcome.FAILED, "closed"));
    }
}
