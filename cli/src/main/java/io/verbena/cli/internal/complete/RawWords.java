package io.verbena.cli.internal.complete;

import java.util.ArrayList;
import java.util.List;
import org.apache.felix.service.command.CommandSession;
import org.apache.felix.service.command.CommandSessionListener;
import org.apache.karaf.shell.api.console.Session;
import org.jline.reader.CompletingParsedLine;
import org.jline.reader.ParsedLine;
import org.jline.reader.Parser;
import org.jline.reader.impl.LineReaderImpl;
import org.osgi.service.component.annotations.Component;

/**
 * Hands the words of a line to completers as they are typed, with quotes and backslashes. The shell hands words out
 * without them, and puts back only blanks: a completed name with a quote or a dollar sign would name another file, or
 * run a command. Only the words of Verbena's own commands are handed out so, whose completers write quotes themselves.
 */
@Component
public final class RawWords implements CommandSessionListener {
    static final String LINE_READER = ".jline.reader";

    /** The variable of a session that has the shell's own parser, where words are handed out as they are typed. */
    static final String SHELL_PARSER = ".verbena.parser";

    private static final String KARAF_SESSION = ".session";

    /** A session runs its start script as its first line, so that its prompt completes from the beginning. */
    @Override
    public void beforeExecute(CommandSession session, CharSequence line) {
        if (session.get(LINE_READER) instanceof LineReaderImpl reader
                && session.get(KARAF_SESSION) instanceof Session karaf
                && !(reader.getParser() instanceof RawParser)) {
            // After an update of this bundle the reader has the parser of the former bundle.
            Parser shells = session.get(SHELL_PARSER) instanceof Parser known ? known : reader.getParser();
            session.put(SHELL_PARSER, shells);
            reader.setParser(new RawParser(shells, karaf));
        }
    }

    @Override
    public void afterExecute(CommandSession session, CharSequence line, Exception failure) {
        // The parser stays.
    }

    @Override
    public void afterExecute(CommandSession session, CharSequence line, Object result) {
        // The parser stays.
    }

    /** Returns whether completers of the session receive words as they are typed. */
    static boolean areIn(Session session) {
        return session.get(LINE_READER) == null || session.get(SHELL_PARSER) != null;
    }

    /** Parses lines as the shell does, and changes what completers see of them. */
    private record RawParser(Parser shells, Session session) implements Parser {
        @Override
        public ParsedLine parse(String line, int cursor, ParseContext context) {
            ParsedLine parsed = shells.parse(line, cursor, context);
            return context == ParseContext.COMPLETE
                            && parsed instanceof CompletingParsedLine completing
                            && completing.wordIndex() > 0
                            && isOwn(completing.words().get(0))
                    ? RawLine.of(completing)
                    : parsed;
        }

        private boolean isOwn(String command) {
            return session.resolveCommand(command).matches("(nfs|rdma|rpcrdma):.*");
        }
    }

    /** A line whose word under the cursor is as it was typed, and whose candidates are taken as they are. */
    private record RawLine(CompletingParsedLine shells, String word, List<String> words)
            implements CompletingParsedLine {
        static RawLine of(CompletingParsedLine line) {
            int start = line.cursor() - line.rawWordCursor();
            String word = line.rawWordLength() == 0 ? "" : line.line().substring(start, start + line.rawWordLength());
            List<String> words = new ArrayList<>(line.words());
            words.set(line.wordIndex(), word);
            return new RawLine(line, word, words);
        }

        @Override
        public int wordCursor() {
            return shells.rawWordCursor();
        }

        @Override
        public int wordIndex() {
            return shells.wordIndex();
        }

        @Override
        public String line() {
            return shells.line();
        }

        @Override
        public int cursor() {
            return shells.cursor();
        }

        @Override
        public CharSequence escape(CharSequence candidate, boolean complete) {
            return candidate;
        }

        @Override
        public int rawWordCursor() {
            return shells.rawWordCursor();
        }

        @Override
        public int rawWordLength() {
            return shells.rawWordLength();
        }
    }
}
