/**
 * Tests against a Linux kernel under qemu: its NFS server, its NFS client and its soft RDMA devices.
 *
 * <p>May use every module, and ssh to run commands in the guest.
 *
 * <p>The tests' own threads; a guest is a process. There are more than 30 classes, one for each subject of a test.
 */
package io.verbena.itests.linuxpeer;
