/**
 * Tests of the whole: rules of the architecture, and the distribution as users run it.
 *
 * <p>May use every module. The distribution is started by its launcher, as a process.
 *
 * <p>The tests' own threads; processes and transfers have threads of their own. There are more than 30 classes, since
 * each test of the whole is one.
 */
package io.verbena.itests;
