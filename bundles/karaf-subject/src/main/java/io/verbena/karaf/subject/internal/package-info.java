/**
 * Replaces calls of Karaf's shell that JDK 24 and later refuse, while the classes are loaded, and ends a container for
 * scripts that cannot run any.
 *
 * <p>Uses ASM, which is inside the bundle, and no other package of Verbena.
 *
 * <p>The threads that load classes call the hook. The framework's thread for events calls the watch.
 */
package io.verbena.karaf.subject.internal;
