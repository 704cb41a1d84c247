package io.verbena.nfs41.client.internal;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Where the next append of a file goes. While writes are pending the client knows the end better than the server; once
 * nothing is pending, or others may have changed the file, the server is asked. Guarded by {@link WriteBack}.
 */
final class AppendEnd {
    static final long UNKNOWN = -1;

    private long known = UNKNOWN;
    /** Grows with each change of the size here: a size from before it says nothing. */
    private long epoch;
    /** The ends of places that were given out, and whose data was not handed over yet. */
    private final List<Long> reserved = new ArrayList<>();

    private final Set<Question> questions = new LinkedHashSet<>();

    /** The server is asked for the size. */
    static final class Question {
        private long epoch;
        /** The largest end of what was written since. */
        private long written;
        /** The largest end of a place that was given out since. */
        private long reserved;

        private Question(long epoch) {
            this.epoch = epoch;
        }
    }

    boolean isPlacing() {
        return !reserved.isEmpty() || !questions.isEmpty();
    }

    void wrote(long end) {
        known = known == UNKNOWN ? UNKNOWN : Math.max(known, end);
        questions.forEach(question -> question.written = Math.max(question.written, end));
    }

    /**
     * Reserves the place of an append, which {@link #handedOver} ends.
     *
     * @param pending whether anything of the file's is on its way
     * @return {@link #UNKNOWN} where the server is to be asked for the size first
     */
    long reserve(int length, boolean pending) {
        if (!pending && !isPlacing()) {
            known = UNKNOWN;
        }
        return known == UNKNOWN ? UNKNOWN : reserve(length);
    }

    private long reserve(int length) {
        long at = known;
        long end = at + length;
        reserved.add(end);
        wrote(end);
        questions.forEach(question -> question.reserved = Math.max(question.reserved, end));
        return at;
    }

    /** The server is asked, once it has answered all that was written before. {@link #answer} or {@link #drop} ends it. */
    Question ask() {
        Question question = new Question(epoch);
        questions.add(question);
        return question;
    }

    void drop(Question question) {
        questions.remove(question);
    }

    /**
     * The server has told its size: reserves the place of an append.
     *
     * @return {@link #UNKNOWN} where it has to be asked again
     */
    long answer(Question question, long size, int length) {
        questions.remove(question);
        if (question.epoch != epoch) {
            return UNKNOWN;
        }
        long end = Math.max(Math.max(known, size), question.written);
        for (long each : reserved) {
            end = Math.max(end, each);
        }
        known = end;
        return reserve(length);
    }

    /**
     * The server has told its size to an append whose place in the order of the calls is before all that was written
     * since it was called; but not before the places that were given out.
     *
     * @param question of the time of the call
     * @return its place, or {@link #UNKNOWN} where it has to ask again
     */
    long answerInOrder(Question question, long size, int length) {
        if (question.epoch != epoch) {
            question.epoch = epoch;
            return UNKNOWN;
        }
        questions.remove(question);
        long at = Math.max(size, question.reserved);
        for (long each : reserved) {
            at = Math.max(at, each);
        }
        long end = at + length;
        known = Math.max(known, Math.max(end, question.written));
        wrote(end);
        questions.forEach(other -> other.reserved = Math.max(other.reserved, end));
        return at;
    }

    /** The data of an append was handed over, or never will be. */
    void handedOver(long end) {
        reserved.remove(end);
    }

    /** Others may have changed the file. */
    void forget() {
        known = UNKNOWN;
    }

    /** The size was set. */
    void resized() {
        known = UNKNOWN;
        epoch++;
    }
}
