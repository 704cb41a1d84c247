package io.verbena.verbs;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.osgi.annotation.versioning.ProviderType;

/**
 * The observers that a provider has to call. {@link #isObserved} is one volatile read, the whole cost where there is no
 * observer. Any thread may use it.
 */
@ProviderType
public final class WireTap {
    private static final WireObserver[] NONE = {};

    private final BiConsumer<WireObserver, RuntimeException> onFailure;

    private volatile WireObserver[] observers = NONE;

    /**
     * @param onFailure receives an observer that was removed because it threw, and the exception, or one around its
     *     Error
     */
    public WireTap(BiConsumer<WireObserver, RuntimeException> onFailure) {
        this.onFailure = onFailure;
    }

    public synchronized void add(WireObserver observer) {
        List<WireObserver> all = new ArrayList<>(List.of(observers));
        all.add(observer);
        observers = all.toArray(NONE);
    }

    /** Removes an observer, if it is registered. A call of the observer may still run. */
    public synchronized void remove(WireObserver observer) {
        List<WireObserver> all = new ArrayList<>(List.of(observers));
        all.removeIf(each -> each == observer);
        observers = all.isEmpty() ? NONE : all.toArray(NONE);
    }

    /** Whether there is an observer. */
    public boolean isObserved() {
        return observers.length > 0;
    }

    /**
     * As {@link WireObserver#onFrame}.
     *
     * @param frame is not changed
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
     * @param data is not changed
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
            } catch (Throwable e) {
                remove(observer); // the connection continues without it
                onFailure.accept(observer, e instanceof RuntimeException known ? known : new IllegalStateException(e));
            }
        }
    }
}
