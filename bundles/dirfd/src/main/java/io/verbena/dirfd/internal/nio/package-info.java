/** What java.nio can do of the contract, for systems and processes without native code. */
package io.verbena.dirfd.internal.nio;
