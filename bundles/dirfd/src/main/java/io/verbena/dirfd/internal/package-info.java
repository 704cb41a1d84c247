/** What both implementations need. */
package io.verbena.dirfd.internal;
