/**
 * Makes packages for machines of the distribution: a .deb, an .rpm and a container image.
 *
 * <p>Uses jlink of the JDK that builds, jdeb, packager-rpm and commons-compress; nothing of Verbena.
 *
 * <p>Runs on the main thread of a process of the build.
 */
package io.verbena.packaging;
