package io.verbena.nfs41.client.internal;

import io.verbena.nfs.DirectoryEntry;
import io.verbena.nfs.DirectoryListing;
import io.verbena.nfs.NfsException;
import io.verbena.nfs41.Attribute;
import io.verbena.nfs41.AttributeMask;
import io.verbena.nfs41.FileHandle;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.ReadDir;
import io.verbena.nfs41.Status;
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

/**
 * Goes through a directory page by page; the next page is fetched while one is being read. Where the server cannot go on
 * at a cookie (NFS4ERR_NOT_SAME, NFS4ERR_BAD_COOKIE), the listing starts over and leaves out what it has handed out. A
 * listing that goes in circles ends with an error.
 */
final class DirectoryPages implements DirectoryListing {
    /** {@code maxcount}: the most octets of a page. */
    private static final int PAGE = 32768;

    private static final int REPLY_OVERHEAD = 1024;

    /** The longest reply to READDIR. */
    static final int MAX_REPLY = PAGE + REPLY_OVERHEAD;

    /** How often in a row a listing starts over without a new entry. */
    static final int MAX_RESTARTS = 16;

    /** How many pages in a row may bring nothing new where a listing has not started over. */
    static final int MAX_BARREN_PAGES = 16;

    /** The most entries that are kept for {@link #rest}. */
    private static final int MAX_KEPT = 1 << 22;

    private static final AttributeMask WANTED = FileAttributesCodec.WANTED.with(Attribute.RDATTR_ERROR);

    private final Requester requester;
    private final Namespace namespace;
    private final FileHandle directory;
    private final String path;
    private final Freshness freshness;
    private final ListedNames listed = new ListedNames();
    private CompletableFuture<ReadDir.Result> next;
    private BooleanSupplier nextFreshness;
    private BooleanSupplier pageFreshness;
    private Iterator<DirectoryEntry> page = Collections.emptyIterator();
    private CookieLoop cookies;
    private boolean startedOver;
    /** Since the last new entry. */
    private int restarts;
    /** Pages since the last new entry. */
    private long barren;

    private DirectoryPages(Requester requester, Namespace namespace, FileHandle directory, String path) {
        this.requester = requester;
        this.namespace = namespace;
        this.directory = directory;
        this.path = path;
        this.freshness = namespace.freshness();
    }

    /**
     * Fetches the first page.
     *
     * @param path as {@code NAME:/path}
     */
    static DirectoryPages open(Requester requester, Namespace namespace, FileHandle directory, String path)
            throws IOException {
        DirectoryPages pages = new DirectoryPages(requester, namespace, directory, path);
        pages.begin();
        pages.turn();
        return pages;
    }

    private void begin() {
        cookies = new CookieLoop();
        ask(0, 0);
    }

    /** Entries have sizes and times, so that they are not to be seen before what the server forgot is there again. */
    private void ask(long cookie, long verifier) {
        nextFreshness = freshness.ofNextReply();
        next = namespace.seeing(() -> requester.call(new Page(directory, cookie, verifier)));
    }

    /** That of the page: where the next one has been asked for, the entry given last is of this one still. */
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
        requester.lifetime().enter();
        try {
            turn();
        } finally {
            requester.lifetime().exit();
        }
    }

    /** All that is left, as part of an operation. */
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

    /** Takes the page that was asked for, and asks for the one behind it. */
    private void turn() throws IOException {
        ReadDir.Result turned;
        try {
            turned = Blocking.await(next);
        } catch (IOException e) {
            startOver(e);
            return;
        }
        pageFreshness = nextFreshness;
        List<ReadDir.Entry> entries = turned.entries();
        take(entries);
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
    }

    /** The page's entries; of a listing that has started over, those that were not handed out before. */
    private void take(List<ReadDir.Entry> entries) {
        List<DirectoryEntry> taken = new ArrayList<>(entries.size());
        boolean isBarren = true;
        for (ReadDir.Entry entry : entries) {
            boolean isNew = listed.add(entry.name());
            isBarren &= !isNew;
            if (isNew || !startedOver) {
                taken.add(DirectoryEntries.shown(entry, path));
            }
        }
        barren = isBarren ? barren + 1 : 0;
        restarts = isBarren ? restarts : 0;
        page = taken.iterator();
    }

    private void requireProgress(long cookie) throws IOException {
        // after a new start each page may hold as little as one entry that was handed out before
        long most = startedOver ? (long) listed.size() + MAX_BARREN_PAGES : MAX_BARREN_PAGES;
        if (cookies.comesBack(cookie) || barren > most) {
            throw ended(new PeerProtocolException(
                    "the server's listing of " + path + " goes in circles: it has no end (RFC 8881 section 18.23)",
                    null));
        }
    }

    /**
     * The server has no page at that cookie any more (RFC 8881 section 18.23.4): the listing begins again, unless it has
     * done so too often or cannot tell what was handed out.
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

    /** Whoever asks again is told the same. */
    private IOException ended(IOException why) {
        next = CompletableFuture.failedFuture(why);
        return why;
    }

    /**
     * Finds out whether cookies come back, in constant memory: it keeps one of them, and another one each time that twice
     * as many have come. A listing that goes in circles comes to the one that is kept.
     */
    private static final class CookieLoop {
        private long kept;
        private long come;
        private long keepNext = 1;

        /** Takes the cookie of the next page; true where it came before, or begins the directory anew. */
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

    static final class Page extends Request<ReadDir.Result> {
        private final FileHandle directory;
        private final long cookie;
        private final long cookieVerifier;

        Page(FileHandle directory, long cookie, long cookieVerifier) {
            this.directory = directory;
            this.cookie = cookie;
            this.cookieVerifier = cookieVerifier;
        }

        @Override
        void encode(Operations operations) {
            operations.putFh(directory);
            ReadDir.Args args = new ReadDir.Args(cookie, cookieVerifier, PAGE / 4, PAGE, WANTED);
            ReadDir.encodeArgs(operations.next(), args);
        }

        @Override
        ReadDir.Result decode(Results results) throws IOException {
            results.next(Opcode.PUTFH);
            return ReadDir.decodeResult(results.next(Opcode.READDIR));
        }

        @Override
        int maxReplySize() {
            return MAX_REPLY;
        }
    }
}
