package io.verbena.nfs41.server.internal.security;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/** root, alice with uid 1000 and group 100, and the groups root, users and staff (50), in which alice is too. */
public final class FakeUsers implements HostUsers {
    public final AtomicInteger lookUps = new AtomicInteger();
    private volatile Runnable onLookUp = () -> {};
    private volatile boolean isDown;

    /** What each look-up does first. */
    public void onLookUp(Runnable action) {
        onLookUp = action;
    }

    /** Whether look-ups fail from now on. */
    public void down(boolean other) {
        isDown = other;
    }

    private void lookUp() throws IOException {
        lookUps.incrementAndGet();
        onLookUp.run();
        if (isDown) {
            throw new IOException("the directory service is down");
        }
    }

    @Override
    public Optional<LocalUser> user(String name) throws IOException {
        lookUp();
        return switch (name) {
            case "root" -> Optional.of(new LocalUser(0, 0, List.of()));
            case "alice" -> Optional.of(new LocalUser(1000, 100, List.of(50)));
            default -> Optional.empty();
        };
    }

    @Override
    public Optional<Integer> group(String name) throws IOException {
        lookUp();
        return switch (name) {
            case "root" -> Optional.of(0);
            case "users" -> Optional.of(100);
            case "staff" -> Optional.of(50);
            default -> Optional.empty();
        };
    }

    @Override
    public Optional<String> userName(int uid) throws IOException {
        lookUp();
        return Optional.ofNullable(uid == 0 ? "root" : uid == 1000 ? "alice" : null);
    }

    @Override
    public Optional<String> groupName(int gid) throws IOException {
        lookUp();
        return Optional.ofNullable(gid == 0 ? "root" : gid == 100 ? "users" : gid == 50 ? "staff" : null);
    }
}
