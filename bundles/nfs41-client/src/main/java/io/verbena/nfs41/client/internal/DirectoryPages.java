package io.verbena.nfs41.client.internal;

import io.verbena.nfs.DirectoryEntry;
import io.verbena.nfs41.Attribute;
import io.verbena.nfs41.AttributeMask;
import io.verbena.nfs41.FileHandle;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.ReadDir;
import io.verbena.rpc.PeerProtocolException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.concurrent.CompletableFuture;

/** Goes through a directory page by page; the next page is fetched while one is being read. */
final class DirectoryPages implements Iterator<DirectoryEntry> {
    /** {@code maxcount}: the most octets of a page. */
    private static final int PAGE = 32768;

    private static final int REPLY_OVERHEAD = 1024;

    /** The longest reply to READDIR. */
    static final int MAX_REPLY = PAGE + REPLY_OVERHEAD;

    private static final AttributeMask WANTED = FileAttributesCodec.WANTED.with(Attribute.RDATTR_ERROR);

    private final Requester requester;
    private final FileHandle directory;
    private final String path;
    private CompletableFuture<ReadDir.Result> next;
    private Iterator<ReadDir.Entry> page;

    private DirectoryPages(Requester requester, FileHandle directory, String path) {
        this.requester = requester;
        this.directory = directory;
        this.path = path;
    }

    /**
     * Fetches the first page.
     *
     * @param path as {@code NAME:/path}
     */
    static DirectoryPages open(Requester requester, FileHandle directory, String path) throws IOException {
        DirectoryPages pages = new DirectoryPages(requester, directory, path);
        pages.next = requester.call(new Page(directory, 0, 0));
        pages.turn();
        return pages;
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
            page.forEachRemaining(entry -> all.add(shown(entry)));
            if (next == null) {
                return all;
            }
            turn();
        }
    }

    private static DirectoryEntry shown(ReadDir.Entry entry) {
        return new DirectoryEntry(entry.name(), FileAttributesCodec.decode(entry.attributes()));
    }

    @Override
    public DirectoryEntry next() {
        if (!hasNext()) {
            throw new NoSuchElementException();
        }
        return shown(page.next());
    }

    private void turn() throws IOException {
        ReadDir.Result turned;
        try {
            turned = Blocking.await(next);
        } catch (IOException e) {
            throw Errors.of(path, e);
        }
        List<ReadDir.Entry> entries = turned.entries();
        page = entries.iterator();
        if (turned.eof()) {
            next = null;
        } else if (entries.isEmpty()) {
            throw new PeerProtocolException(
                    "the server sent a page of " + path + " that is empty and not the last (RFC 8881 section 18.23)",
                    null);
        } else {
            long cookie = entries.get(entries.size() - 1).cookie();
            next = requester.call(new Page(directory, cookie, turned.cookieVerifier()));
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
