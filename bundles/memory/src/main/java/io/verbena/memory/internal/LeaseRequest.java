package io.verbena.memory.internal;

/**
 * A request for a lease.
 *
 * @param bytes at least one
 * @param pages the same in whole pages
 * @param ahead whether it goes before requests that wait, and may use the memory reserved for small leases
 */
record LeaseRequest(Share share, int bytes, int pages, boolean ahead) {
    private static final int SMALL_PAGES = DirectMemory.SMALL / Slab.PAGE;

    /** Small requests go ahead in any case. */
    LeaseRequest(Share share, int bytes, boolean ahead) {
        this(share, bytes, pagesOf(bytes), ahead || pagesOf(bytes) <= SMALL_PAGES);
    }

    private static int pagesOf(int bytes) {
        if (bytes < 1) {
            throw new IllegalArgumentException("a lease of " + bytes + " octets");
        }
        return (int) (((long) bytes + Slab.PAGE - 1) / Slab.PAGE);
    }
}
