package io.verbena.cli;

import java.util.function.Consumer;

/**
 * Where a list is shown.
 *
 * @param columns the columns of the terminal; 0 if there is no terminal, and lines may have any length
 * @param notes receives a line for people that is no part of the list
 */
record Screen(int columns, Consumer<String> notes) {
    /** A place for lines of any length. */
    static final Screen ENDLESS = new Screen(0, note -> {});
}
