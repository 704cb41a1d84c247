/**
 * Tests of what a release build makes: packages for machines, and the repository that programs are built from.
 *
 * <p>May use every module, and the launcher of the package above. Packages are installed in a clean root.
 *
 * <p>The tests' own threads; installed programs and builds are processes.
 */
package io.verbena.itests.release;
