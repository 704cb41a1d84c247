/*
 * Loaded into rpc.gssd (LD_PRELOAD). rpc.gssd looks for a client's pipe "gssd" and, if there is none, for the old pipe
 * "krb5". If the kernel creates both in between, rpc.gssd takes the old one, which tells no encryption types but DES,
 * and the mount is denied. Under emulation this is how most mounts end. This library hides the old pipe; rpc.gssd
 * looks again when the new one appears.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>

typedef int (*open_call)(int, const char *, int, mode_t);

int openat(int folder, const char *path, int flags, ...) {
    va_list rest;
    mode_t mode = 0;
    if (strcmp(path, "krb5") == 0) {
        errno = ENOENT;
        return -1;
    }
    if (flags & O_CREAT) {
        va_start(rest, flags);
        mode = va_arg(rest, mode_t);
        va_end(rest);
    }
    return ((open_call) dlsym(RTLD_NEXT, "openat"))(folder, path, flags, mode);
}
