package io.verbena.fuse.internal.file;

import io.verbena.fuse.internal.Answer;
import io.verbena.fuse.internal.mount.MountSource;
import io.verbena.fuse.internal.mount.PresentMount;
import io.verbena.nfs.FileAttributes;
import io.verbena.nfs.FileType;
import io.verbena.nfs.Mount;
import io.verbena.nfs.MountReplacedException;
import io.verbena.nfs.RemoteFile;
import io.verbena.nfs.RemoteLock;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongConsumer;

/** Mounts that replace one another, with one file, whose server answers writes when the test says so. */
final class FakeMounts implements MountSource {
    static final FileAttributes ATTRIBUTES = new FileAttributes(
            FileType.REGULAR, 0, 0, 0_600, 1, "0", "0", Instant.EPOCH, Instant.EPOCH, Instant.EPOCH, 1, 1, 1, 1);

    private final List<One> all = new ArrayList<>();

    FakeMounts(int count) {
        for (int i = 0; i < count; i++) {
            all.add(new One());
        }
    }

    /** A step of a test in the middle of a call. */
    interface Step {
        void run() throws IOException;
    }

    /** One mount. */
    static final class One {
        final List<CompletableFuture<Void>> writes = new ArrayList<>();
        /** The calls that came, with what matters of their arguments. */
        final List<String> calls = new ArrayList<>();

        boolean isReplaced;
        /** Whether another client has locked the file. */
        boolean isDenied;

        Step onAttributes = () -> {};
        Step onOpen = () -> {};
        Step onClose = () -> {};
        Step onSync = () -> {};
        Step onLock = () -> {};
        Step onUnlock = () -> {};
        final RemoteFile file = Answer.as(RemoteFile.class, this::file);
        final Mount mount = Answer.as(Mount.class, this::mount);

        void replace() {
            isReplaced = true;
            writes.forEach(each -> each.completeExceptionally(new MountReplacedException("m", true)));
        }

        private void requireGoing() throws IOException {
            if (isReplaced) {
                throw new MountReplacedException("m", false);
            }
        }

        private Object mount(String method, Object[] args) throws IOException {
            if (!method.equals("open")) {
                return "m";
            }
            requireGoing();
            calls.add("open " + args[0]);
            onOpen.run();
            return file;
        }

        private Object file(String method, Object[] args) throws IOException {
            if (method.equals("close")) {
                calls.add("close");
                onClose.run();
                return null;
            }
            requireGoing();
            return switch (method) {
                case "writeAsync" -> write("write " + args[1]);
                case "appendAsync" -> append((LongConsumer) args[1]);
                case "attributes" -> attributes();
                case "sync" -> sync();
                case "isLocked" -> false;
                case "tryLock" -> tryLock();
                default -> null;
            };
        }

        private Object tryLock() throws IOException {
            onLock.run();
            return isDenied ? Optional.empty() : Optional.of(Answer.as(RemoteLock.class, this::lock));
        }

        private Object lock(String method, Object[] args) throws IOException {
            if (method.equals("close")) {
                requireGoing();
                calls.add("unlock");
                onUnlock.run();
                if (Thread.currentThread().isInterrupted()) {
                    throw new InterruptedIOException("interrupted while the server has not answered");
                }
            }
            return null;
        }

        @SuppressWarnings("FutureReturnValueIgnored") // the caller of the proxy has it
        private Object write(String call) {
            calls.add(call);
            CompletableFuture<Void> write = new CompletableFuture<>();
            writes.add(write);
            return write;
        }

        @SuppressWarnings("FutureReturnValueIgnored") // the caller of the proxy has it
        private Object append(LongConsumer placed) {
            calls.add("append");
            placed.accept(40);
            CompletableFuture<Void> write = new CompletableFuture<>();
            writes.add(write);
            return write.thenApply(done -> 40L);
        }

        private Object sync() throws IOException {
            calls.add("sync");
            onSync.run();
            return null;
        }

        private FileAttributes attributes() throws IOException {
            onAttributes.run();
            return ATTRIBUTES;
        }
    }

    One get(int number) {
        return all.get(number);
    }

    @Override
    public Mount get() {
        return all.get(0).mount;
    }

    @Override
    public Mount successor(Mount gone) {
        int next = 1;
        while (all.get(next - 1).mount != gone) {
            next++;
        }
        return all.get(next).mount;
    }

    PresentMount present() throws IOException {
        return new PresentMount(this);
    }
}
