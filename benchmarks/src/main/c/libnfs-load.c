/*
 * Operations of libnfs on a file of an NFSv3 server over TCP, a number of them in flight.
 *
 *   libnfs-load ADDRESS PORT MOUNTPORT EXPORT
 *
 * Makes a file of 64 MiB. Then each line of the standard input is a measurement:
 *
 *   read|write|getattr OCTETS OUTSTANDING MILLISECONDS
 *
 * and is answered by a line with operations a second. Ends when the standard input ends.
 */
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <nfsc/libnfs.h>

#define FILE_SIZE (64L << 20)
#define BLOCK (1 << 20)

static struct nfs_context *nfs;
static struct nfsfh *file;
static char block[BLOCK];

/* the measurement */
static char operation[16];
static uint64_t octets;
static double until;
static uint64_t started, completed;
static int in_flight;

static void fail(const char *what)
{
    const char *why = nfs != NULL ? nfs_get_error(nfs) : NULL;
    fprintf(stderr, "libnfs-load: %s%s%s\n", what, why != NULL ? ": " : "", why != NULL ? why : "");
    exit(1);
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

static void start(void);

static void done(int result, struct nfs_context *context, void *data, void *lane)
{
    (void)context;
    (void)data;
    (void)lane;
    if (result < 0 || (octets > 0 && (uint64_t)result != octets))
        fail(operation);
    completed++;
    in_flight--;
    if (now() < until)
        start();
}

static void start(void)
{
    uint64_t position = octets > 0 ? started * octets % FILE_SIZE : 0;
    int result;
    started++;
    in_flight++;
    if (operation[0] == 'r')
        result = nfs_pread_async(nfs, file, position, octets, done, NULL);
    else if (operation[0] == 'w')
        result = nfs_pwrite_async(nfs, file, position, octets, block, done, NULL);
    else
        result = nfs_fstat64_async(nfs, file, done, NULL);
    if (result != 0)
        fail(operation);
}

static double measure(int outstanding, int milliseconds)
{
    double begin = now();
    until = begin + milliseconds / 1e3;
    completed = 0;
    for (int lane = 0; lane < outstanding; lane++)
        start();
    while (in_flight > 0) {
        struct pollfd ready = {.fd = nfs_get_fd(nfs), .events = nfs_which_events(nfs)};
        if (poll(&ready, 1, 10000) <= 0)
            fail("no answer in 10 s");
        if (nfs_service(nfs, ready.revents) < 0)
            fail("connection");
    }
    return completed / (now() - begin);
}

int main(int count, char **arguments)
{
    char line[128], url[512];
    int outstanding, milliseconds;
    unsigned long size;
    if (count != 5)
        fail("usage: libnfs-load ADDRESS PORT MOUNTPORT EXPORT");
    nfs = nfs_init_context();
    if (nfs == NULL)
        fail("no context");
    snprintf(url, sizeof url, "nfs://%s%s?version=3&nfsport=%s&mountport=%s", arguments[1], arguments[4],
             arguments[2], arguments[3]);
    struct nfs_url *parsed = nfs_parse_url_dir(nfs, url);
    if (parsed == NULL)
        fail("url");
    if (nfs_mount(nfs, parsed->server, parsed->path) != 0)
        fail("mount");
    nfs_destroy_url(parsed);
    if (nfs_open2(nfs, "/libnfs", O_RDWR | O_CREAT, 0600, &file) != 0)
        fail("open");
    memset(block, 'x', sizeof block);
    for (long at = 0; at < FILE_SIZE; at += BLOCK)
        if (nfs_pwrite(nfs, file, at, BLOCK, block) != BLOCK)
            fail("write");
    while (fgets(line, sizeof line, stdin) != NULL) {
        if (sscanf(line, "%15s %lu %d %d", operation, &size, &outstanding, &milliseconds) != 4 || size > BLOCK)
            fail("what to measure");
        octets = size;
        printf("%.3f\n", measure(outstanding, milliseconds));
        fflush(stdout);
    }
    if (nfs_close(nfs, file) != 0)
        fail("close");
    nfs_destroy_context(nfs);
    return 0;
}
