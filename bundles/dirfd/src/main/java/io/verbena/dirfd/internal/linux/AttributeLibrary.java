package io.verbena.dirfd.internal.linux;

/** The function of the C library that lists extended attributes. Public because classes of jnr-ffi implement it. */
public interface AttributeLibrary {
    long listxattr(long path, long list, long size);
}
