package io.verbena.nfs.nio.internal.path;

import java.io.IOException;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;

/** A watch service of these file systems. */
public interface DirectoryWatcher extends WatchService {
    /** Watches a directory, as {@link java.nio.file.Watchable#register(WatchService, WatchEvent.Kind[])} specifies. */
    WatchKey register(NfsPath directory, WatchEvent.Kind<?>[] events, WatchEvent.Modifier... modifiers)
            throws IOException;
}
