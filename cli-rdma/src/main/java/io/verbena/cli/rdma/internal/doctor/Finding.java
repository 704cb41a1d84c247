package io.verbena.cli.rdma.internal.doctor;

import io.verbena.cli.Text;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * What a check has found. Texts may come from the host or a peer.
 *
 * @param level how bad it is
 * @param what what the finding is about, one or two words
 * @param found what was found
 * @param remedy what to do; empty if there is nothing to do
 */
record Finding(Level level, String what, String found, String remedy) {
    /** How bad a finding is. */
    enum Level {
        OK,
        WARNING,
        PROBLEM;

        String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    static Finding ok(String what, String found) {
        return new Finding(Level.OK, what, found, "");
    }

    static Finding warning(String what, String found, String remedy) {
        return new Finding(Level.WARNING, what, found, remedy);
    }

    static Finding problem(String what, String found, String remedy) {
        return new Finding(Level.PROBLEM, what, found, remedy);
    }

    /** Returns the finding as a line for people. */
    String line() {
        String text = remedy.isEmpty() ? found : found + "; to do: " + remedy;
        return Text.printable(String.format(Locale.ROOT, "%-7s  %-9s  %s", level.word(), what, text));
    }

    /** Returns the members of the finding in JSON. */
    Map<String, Object> members() {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("level", level.word());
        members.put("what", what);
        members.put("found", found);
        members.put("remedy", remedy.isEmpty() ? null : remedy);
        return members;
    }
}
