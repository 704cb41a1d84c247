package io.verbena.simulation.workload;

/** What the workers of all clients share. */
record SharedFiles(Counter counter, Cells cells, Notices notices, SharedLog log) {
    SharedFiles() {
        this(new Counter(), new Cells(), new Notices(), new SharedLog());
    }
}
