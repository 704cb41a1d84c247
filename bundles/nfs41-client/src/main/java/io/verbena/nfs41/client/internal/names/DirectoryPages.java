package io.verbena.nfs41.client.internal.names;

import io.verbena.nfs.DirectoryEntry;
import io.verbena.nfs.DirectoryListing;
import io.verbena.nfs.NfsException;
import io.verbena.nfs41.Attribute;
import io.verbena.nfs41.AttributeMask;
import io.verbena.nfs41.FileHandle;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.ReadDir;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.client.internal.compound.CompoundRequest;
import io.verbena.nfs41.client.internal.compound.CompoundWriter;
import io.verbena.nfs41.client.internal.compound.Errors;
import io.verbena.nfs41.client.internal.compound.Results;
import io.verbena.nfs41.client.internal.compound.StatusException;
import io.verbena.nfs41.client.internal.session.CompoundCaller;
import io.verbena.nfs41.client.internal.util.Blocking;
import io.verbena.nfs41.client.internal.util.CachedAnswerValidity;
import io.verbena.rpc.PeerProtocolException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Lists a directory page by page, and fetches the next page while the caller reads the present one. Where the server
 * rejects a cookie (NFS4ERR_NOT_SAME, NFS4ERR_BAD_COOKIE), the listing starts over and leaves out the entries that it
 * has returned. A listing whose cookies form a cycle ends with an error.
 */
public final class DirectoryPages implements DirectoryListing {
    /** {@code maxcount}: the most octets of a page. */
    private static final int PAGE = 32768;

    private static final int REPLY_OVERHEAD = 1024;

    /** The longest reply to READDIR. */
    public static final int MAX_REPLY = PAGE + REPLY_OVERHEAD;

    /** How often in a row a listing starts over without a new entry. */
    static final int MAX_RESTARTS = 16;

    /** How many pages in a row may bring nothing new where a listing has not started over. */
    static final int MAX_BARREN_PAGES = 16;

    /** The most entries that {@link #rest} collects: the greatest heap of this JVM at 512 octets for each. */
    private static final int MAX_KEPT =
            (int) Math.min(1 << 22, Runtime.getRuntime().maxMemory() / 512);

    private static final AttributeMask ATTRIBUTES = FileAttributesCodec.WANTED.with(Attribute.RDATTR_ERROR);

    /**
     * Names alone. RDATTR_ERROR has the server list an entry whatever is wrong with it (RFC 8881 section 18.23.3).
     */
    private static final AttributeMask NAMES = AttributeMask.of(Attribute.RDATTR_ERROR);

    private final CompoundCaller caller;
    private final Namespace namespace;
    private final FileHandle directory;
    private final String path;
    private final boolean withAttributes;
    private final CachedAnswerValidity freshness;
    private final ListedNames listed;
    private CompletableFuture<ReadDir.Result> next;
    private BooleanSupplier nextFreshness;
    private BooleanSupplier pageFreshness;
    private Iterator<DirectoryEntry> page = Collections.emptyIterator();
    private CookieLoop cookies;
    private boolean startedOver;
    /** How often the listing has started over since the last new entry. */
    private int restarts;
    /** Pages since the last new entry. */
    private long barren;

    private DirectoryPages(
            CompoundCaller caller, Namespace namespace, FileHandle directory, String path, boolean withAttributes) {
        this.caller = caller;
        this.namespace = namespace;
        this.directory = directory;
        this.path = path;
        this.withAttributes = withAttributes;
        this.freshness = namespace.freshness();
        this.listed = new ListedNames(caller.runtime().random());
    }

    /**
     * Fetches the first page.
     *
     * @param path as {@code NAME:/path}
     * @param withAttributes whether the entries have attributes
     */
    static DirectoryPages open(
            CompoundCaller caller, Namespace namespace, FileHandle directory, String path, boolean withAttributes)
            throws IOException {
        DirectoryPages pages = new DirectoryPages(caller, namespace, directory, path, withAttributes);
        pages.begin();
        pages.turn();
        return pages;
    }

    private void begin() {
        cookies = new CookieLoop();
        ask(0, 0);
    }

    /** Sizes and times of entries are read only once the server has got back what it lost by a restart. */
    private void ask(long cookie, long verifier) {
        nextFreshness = freshness.ofNextReply();
        Supplier<CompletableFuture<ReadDir.Result>> read =
                () -> caller.call(new Page(directory, cookie, verifier, withAttributes));
        next = withAttributes ? namespace.readConsistently(read) : read.get();
    }

    /**
     * The freshness of the present page. The entry that was returned last is of this page, even if the next page was
     * requested.
     */
    @Override
    public BooleanSupplier freshness() {
        return pageFreshness;
    }

    @Override
    public boolean hasNext() {
        try {
            while (!page.hasNext() && next != null) {
                turnIfGoing();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return page.hasNext();
    }

    private void turnIfGoing() throws IOException {
        caller.lifetime().enter();
        try {
            turn();
        } finally {
            caller.lifetime().exit();
        }
    }

    /** All remaining entries, as part of an operation. */
    List<DirectoryEntry> rest() throws IOException {
        List<DirectoryEntry> all = new ArrayList<>();
        while (true) {
            page.forEachRemaining(all::add);
            if (next == null) {
                return all;
            }
            if (all.size() > MAX_KEPT) {
                throw new IOException(path + ": more than " + MAX_KEPT + " entries, too many to hold at once");
            }
            turn();
        }
    }

    @Override
    public DirectoryEntry next() {
        if (!hasNext()) {
            throw new NoSuchElementException();
        }
        return page.next();
    }

    /** Takes the requested page, and requests the next one. */
    private void turn() throws IOException {
        ReadDir.Result turned;
        try {
            turned = Blocking.await(caller.runtime(), next);
        } catch (IOException e) {
            startOver(e);
            return;
        }
        pageFreshness = nextFreshness;
        List<ReadDir.Entry> entries = turned.entries();
        List<ReadDir.Entry> taken = take(entries);
        if (turned.eof()) {
            next = null;
        } else if (entries.isEmpty()) {
            throw new PeerProtocolException(
                    "the server sent a page of " + path + " that is empty and not the last (RFC 8881 section 18.23)",
                    null);
        } else {
            long cookie = entries.get(entries.size() - 1).cookie();
            requireProgress(cookie);
            ask(cookie, turned.cookieVerifier());
        }
        page = shown(taken); // the server works at the next page meanwhile
    }

    /** The entries of a page that are returned: after a new start, those that were not returned before. */
    private List<ReadDir.Entry> take(List<ReadDir.Entry> entries) {
        List<ReadDir.Entry> taken = startedOver ? new ArrayList<>() : entries;
        boolean isBarren = true;
        for (ReadDir.Entry entry : entries) {
            boolean isNew = listed.add(entry.name());
            isBarren &= !isNew;
            if (isNew && startedOver) {
                taken.add(entry);
            }
        }
        barren = isBarren ? barren + 1 : 0;
        restarts = isBarren ? restarts : 0;
        return taken;
    }

    private Iterator<DirectoryEntry> shown(List<ReadDir.Entry> taken) {
        List<DirectoryEntry> shown = new ArrayList<>(taken.size());
        for (ReadDir.Entry entry : taken) {
            shown.add(DirectoryEntries.shown(entry, path, withAttributes));
        }
        return shown.iterator();
    }

    private void requireProgress(long cookie) throws IOException {
        // after a new start each page may hold a single entry, one that was returned before
        long most = startedOver ? (long) listed.size() + MAX_BARREN_PAGES : MAX_BARREN_PAGES;
        if (cookies.comesBack(cookie) || barren > most) {
            throw ended(new PeerProtocolException(
                    "the server's listing of " + path + " goes in circles: it has no end (RFC 8881 section 18.23)",
                    null));
        }
    }

    /**
     * The server rejects the cookie (RFC 8881 section 18.23.4). The listing starts over, unless it has done so too
     * often or does not know all names that it has returned.
     */
    private void startOver(IOException failure) throws IOException {
        boolean mayHelp = failure instanceof StatusException e
                && (e.status() == Status.NFS4ERR_NOT_SAME || e.status() == Status.NFS4ERR_BAD_COOKIE)
                && cookies.isUnderWay();
        if (!mayHelp) {
            throw Errors.of(path, failure);
        }
        if (restarts == MAX_RESTARTS || !listed.isWhole()) {
            Status status = ((StatusException) failure).status();
            String what = listed.isWhole()
                    ? "it was changed each time that it was listed"
                    : "it was changed while it was listed, and has too many entries to start over: more than "
                            + ListedNames.MOST;
            throw ended(new NfsException(path, status.name(), what + "; list it again (" + status + ")"));
        }
        restarts++;
        startedOver = true;
        barren = 0;
        page = Collections.emptyIterator();
        begin();
    }

    /** Records the failure: each later call throws it too. */
    private IOException ended(IOException why) {
        next = CompletableFuture.failedFuture(why);
        return why;
    }

    /**
     * Detects a cycle of cookies in constant memory (Brent's algorithm): keeps one cookie, and replaces it each time
     * that the number of cookies has doubled. A cycle reaches the kept cookie.
     */
    private static final class CookieLoop {
        private long kept;
        private long come;
        private long keepNext = 1;

        /**
         * Takes the cookie of the next page. True where the cookie came before, or is that of the directory's start.
         */
        boolean comesBack(long cookie) {
            if (cookie == 0 || (come > 0 && cookie == kept)) {
                return true;
            }
            come++;
            if (come == keepNext) {
                kept = cookie;
                keepNext *= 2;
            }
            return false;
        }

        /** Whether the first page has come. */
        boolean isUnderWay() {
            return come > 0;
        }
    }

    public static final class Page extends CompoundRequest<ReadDir.Result> {
        private final FileHandle directory;
        private final long cookie;
        private final long cookieVerifier;
        private final boolean withAttributes;

        /** A page of entries with attributes. */
        public Page(FileHandle directory, long cookie, long cookieVerifier) {
            this(directory, cookie, cookieVerifier, true);
        }

        private Page(FileHandle directory, long cookie, long cookieVerifier, boolean withAttributes) {
            this.directory = directory;
            this.cookie = cookie;
            this.cookieVerifier = cookieVerifier;
            this.withAttributes = withAttributes;
        }

        @Override
        public void encode(CompoundWriter operations) {
            operations.putFh(directory);
            ReadDir.Args args = withAttributes
                    ? new ReadDir.Args(cookie, cookieVerifier, PAGE / 4, PAGE, ATTRIBUTES)
                    : new ReadDir.Args(cookie, cookieVerifier, PAGE, PAGE, NAMES);
            ReadDir.encodeArgs(operations.next(), args);
        }

        @Override
        public ReadDir.Result decode(Results results) throws IOException {
            results.next(Opcode.PUTFH);
            return ReadDir.decodeResult(results.next(Opcode.READDIR));
        }

        @Override
        public int maxReplySize() {
            return MAX_REPLY;
        }
    }
}
