/** Linux's system calls through jnr-ffi. Only this package calls native code. */
package io.verbena.dirfd.internal.linux;
