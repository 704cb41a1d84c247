package io.verbena.verbs;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.osgi.annotation.versioning.ProviderType;

/**
 * The observers that a provider knows of, for providers to tell. {@link #isObserved} is one volatile read; who has
 * nothing to tell when that is false pays no more. May be used from any thread.
 */
@ProviderType
public final class WireTap {
    private static final WireObserver[] NONE = {};

    private final BiConsumer<WireObserver, RuntimeException> onFailure;

    private volatile WireObserver[] observers = NONE;

    /** @param onFailure told of an observer that has thrown, and what; it has been removed then */
    public WireTap(BiConsumer<WireObserver, RuntimeException> onFailure) {
        this.onFailure = onFailure;
    }

    public synchronized void add(WireObserver observer) {
        List<WireObserver> all = new ArrayList<>(List.of(observers));
        all.add(observer);
        observers = all.toArray(NONE);
    }

    /** Removes an observer, if it is there; a call that has begun may still run. */
    public synchronized void remove(WireObserver observer) {
        List<WireObserver> all = new ArrayList<>(List.of(observers));
        all.removeIf(each -> each == observer);
        observers = all.isEmpty() ? NONE : all.toArray(NONE);
    }

    /** Whether there is anybody to tell. */
    public boolean isObserved() {
        return observers.length > 0;
    }

    /**
     * As {@link WireObserver#onFrame}.
     *
     * @param frame stays as it is
     */
    public void frame(WireConnection connection, boolean sent, List<ByteBuffer> frame) {
        tell(observer -> observer.onFrame(
                connection,
                sent,
                frame.stream().map(ByteBuffer::asReadOnlyBuffer).toList()));
    }

    /**
     * As {@link WireObserver#onMessage}.
     *
     * @param data stays as it is
     */
    public void message(WireConnection connection, boolean sent, WireMessage message, ByteBuffer data) {
        tell(observer -> observer.onMessage(connection, sent, message, data.asReadOnlyBuffer()));
    }

    /** As {@link WireObserver#onEnd}. */
    public void end(WireConnection connection) {
        tell(observer -> observer.onEnd(connection));
    }

    private void tell(Consumer<WireObserver> call) {
        for (WireObserver observer : observers) {
            try {
                call.accept(observer);
            } catch (RuntimeException e) {
                remove(observer); // and the data goes on
                onFailure.accept(observer, e);
            }
        }
    }
}
