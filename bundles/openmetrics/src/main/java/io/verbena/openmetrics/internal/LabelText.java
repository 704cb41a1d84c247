package io.verbena.openmetrics.internal;

import static java.nio.charset.StandardCharsets.UTF_8;

/** Texts of peers, files and users as values of labels. The library escapes; here is what it leaves to its callers. */
final class LabelText {
    /** A host name has at most 253 characters, and a name of a file at most 255 octets. */
    private static final int LONGEST = 256;

    private LabelText() {}

    /**
     * Returns a text as a label has it: of a bounded length, and the same before and after UTF-8, so that two texts
     * that are told apart here stay two.
     */
    static String of(String text) {
        String bounded = text.length() <= LONGEST ? text : text.substring(0, LONGEST - 1) + "…";
        return new String(bounded.getBytes(UTF_8), UTF_8);
    }
}
