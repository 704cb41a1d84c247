/**
 * A random workload through every public door of two mounts of one export, checked step by step against a model in
 * memory: see {@link io.verbena.itests.model.Driver} for what the model promises. Its steps run on the thread of
 * the test, but for waits for locks; a seed gives the plan of a run. Other classes have several threads work at once.
 */
package io.verbena.itests.model;
