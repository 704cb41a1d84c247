/**
 * Test classes that run inside of a Linux guest, where the RDMA devices are.
 *
 * <p>May use every module; there is neither Maven nor surefire in the guest.
 *
 * <p>The main thread of {@link GuestRunner} runs the tests.
 */
package io.verbena.itests.guest;
