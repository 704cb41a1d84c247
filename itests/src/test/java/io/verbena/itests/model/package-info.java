/**
 * A random workload through every public way to open a file of two mounts of one export, checked step by step against a
 * model in memory: {@link io.verbena.itests.model.Driver} describes the model's rules. The steps run on the test's
 * thread, except for waits for locks; a seed determines the plan of a run. Other tests of the package use several
 * threads at the same time.
 *
 * The package has more than 30 classes, since the kinds of steps and of open files are small classes of one model.
 */
package io.verbena.itests.model;
