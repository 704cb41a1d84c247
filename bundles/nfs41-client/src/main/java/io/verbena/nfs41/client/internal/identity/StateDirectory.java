package io.verbena.nfs41.client.internal.identity;

import java.nio.file.Path;

/** The directory for data that outlives the process. */
final class StateDirectory {
    /** System property: the directory of {@code verbena --state}. */
    static final String PROPERTY = "verbena.state";

    private StateDirectory() {}

    /**
     * The directory of this run, if it has one; else {@code $XDG_STATE_HOME/verbena}, or {@code
     * ~/.local/state/verbena}. It need not exist.
     */
    static Path find() {
        return find(System.getProperty(PROPERTY), System.getenv("XDG_STATE_HOME"), System.getProperty("user.home", ""));
    }

    /**
     * @param state null or empty where there is none
     * @param xdg not used unless it is absolute, as the XDG Base Directory Specification has it
     */
    static Path find(String state, String xdg, String home) {
        if (state != null && !state.isEmpty()) {
            return Path.of(state);
        }
        boolean isXdg = xdg != null && xdg.startsWith("/");
        return (isXdg ? Path.of(xdg) : Path.of(home, ".local", "state")).resolve("verbena");
    }
}
