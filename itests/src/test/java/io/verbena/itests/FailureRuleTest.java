package io.verbena.itests;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.thirdparty.org.objectweb.asm.ClassReader;
import com.tngtech.archunit.thirdparty.org.objectweb.asm.ClassVisitor;
import com.tngtech.archunit.thirdparty.org.objectweb.asm.Label;
import com.tngtech.archunit.thirdparty.org.objectweb.asm.MethodVisitor;
import com.tngtech.archunit.thirdparty.org.objectweb.asm.Opcodes;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/**
 * A handler of all exceptions catches Errors, too. Code that continues a future keeps the resulting future, since that
 * one holds the continuation's exception. Where nobody needs the result, the class {@code Futures} of the bundle
 * continues the future, and is told what to end after an exception.
 */
final class FailureRuleTest {
    private static final String FUTURE = "java/util/concurrent/CompletableFuture";
    private static final String FUTURES = "Futures";
    private static final Set<String> EXCEPTIONS = Set.of("java/lang/RuntimeException", "java/lang/Exception");
    private static final Set<String> ERRORS = Set.of("java/lang/Error", "java/lang/Throwable");

    private static final String CONFIGURED = "the exception of a value that is no number; its class is not there";
    private static final String LIBRARY = "without the native library there is another way";
    private static final String FUZZED = "an Error of the fuzzed code ends the fuzzing";
    private static final String CLOSEABLE = "the declared exception of AutoCloseable.close(); an Error is thrown on";

    /** The handlers that leave Errors out, each with the reason. */
    private static final Map<String, String> NARROW_HANDLERS = Map.ofEntries(
            Map.entry("io.verbena.verbs.ConfiguredNumber.read", CONFIGURED),
            Map.entry("io.verbena.nfs41.server.internal.ExportNumbers.number", CONFIGURED),
            Map.entry("io.verbena.nfs41.server.internal.ServerMemoryComponent.number", CONFIGURED),
            Map.entry("io.verbena.dirfd.host.Accounts$Native.load", LIBRARY),
            Map.entry("io.verbena.dirfd.host.Directories$Native.load", LIBRARY),
            Map.entry("io.verbena.dirfd.host.ExtendedAttributes$Native.load", LIBRARY),
            Map.entry("io.verbena.standalone.Devices.find", LIBRARY),
            Map.entry("io.verbena.memory.internal.JvmMemory.maxDirectMemory", "another JVM has no such option"),
            Map.entry("io.verbena.rpcrdma.dispatcher.internal.RdmaRpcTransport.closeIfClosed", CLOSEABLE),
            Map.entry("io.verbena.conformance.HandOvers.release", CLOSEABLE),
            Map.entry("io.verbena.fuzzing.Fuzzer.checkEncoded", FUZZED),
            Map.entry("io.verbena.fuzzing.Fuzzer.decodeOnce", FUZZED),
            Map.entry("io.verbena.fuzzing.SystemFuzzer.run", FUZZED),
            Map.entry(
                    "io.verbena.nfs.transfer.internal.file.PartNames.secret",
                    "the copy that asks for the name ends with the Error"),
            Map.entry(
                    "io.verbena.nfs41.client.internal.identity.ClientOwner.take",
                    "a mount without a state directory goes on, one without memory fails"),
            Map.entry("io.verbena.cli.CliCommand.execute", "the shell tells of an Error, and finally ends the rest"),
            Map.entry("io.verbena.cli.internal.nfs.change.LockCommand.hold", "the caller releases the lock"),
            Map.entry(
                    "io.verbena.cli.internal.nfs.serve.Served.begin",
                    "Foreground.run ends all that is served, whatever is thrown"),
            Map.entry("io.verbena.cli.internal.script.Script.runOne", "ScriptRunner.runAndExit catches Errors"));

    @Test
    void shouldDropNoContinuation() throws IOException {
        List<String> dropped = new ArrayList<>();
        for (JavaClass type : ours()) {
            if (!type.getSimpleName().equals(FUTURES)) {
                dropped.addAll(droppedIn(type));
            }
        }
        assertThat(dropped).isEmpty();
    }

    private static JavaClasses ours() {
        return new ClassFileImporter()
                .withImportOption(new ImportOption.DoNotIncludeTests())
                .withImportOption(location -> !location.contains("-tests.jar"))
                .importPackages("io.verbena");
    }

    @Test
    void shouldFindADroppedContinuation() throws IOException {
        assertThat(droppedIn(new ClassFileImporter().importClass(Dropping.class)))
                .containsExactly(Dropping.class.getName() + ".drop: whenComplete");
    }

    /**
     * A handler of all exceptions is one of Errors as well: else a lack of memory leaves behind what the handler ends.
     */
    @Test
    void shouldCatchErrorsWhereverItCatchesAllExceptions() throws IOException {
        List<String> narrow = new ArrayList<>();
        for (JavaClass type : ours()) {
            narrow.addAll(narrowHandlersIn(type));
        }
        assertThat(narrow).containsExactlyInAnyOrderElementsOf(NARROW_HANDLERS.keySet());
    }

    @Test
    void shouldFindAHandlerWithoutErrors() throws IOException {
        assertThat(narrowHandlersIn(new ClassFileImporter().importClass(Narrow.class)))
                .containsExactly(Narrow.class.getName() + ".exceptions", Narrow.class.getName() + ".runtime");
    }

    /** Two violations of the rule, and code that follows it. */
    static final class Narrow {
        private final Runnable task;

        Narrow(Runnable task) {
            this.task = task;
        }

        boolean exceptions(Callable<Boolean> call) {
            try {
                return call.call();
            } catch (Exception e) {
                return false;
            }
        }

        boolean runtime() {
            try {
                task.run();
                return true;
            } catch (RuntimeException e) {
                return false;
            }
        }

        boolean both() {
            try {
                task.run();
                return true;
            } catch (RuntimeException | Error e) {
                return false;
            }
        }

        boolean all(Callable<Boolean> call) {
            try {
                return call.call();
            } catch (Exception e) {
                return false;
            } catch (Throwable e) {
                return task == null;
            }
        }
    }

    private static List<String> narrowHandlersIn(JavaClass type) throws IOException {
        Set<String> narrow = new TreeSet<>();
        read(type, name -> new Handlers(() -> narrow.add(type.getName() + "." + name)));
        return List.copyOf(narrow);
    }

    /** Finds in one method what is caught from the same instruction on. */
    private static final class Handlers extends MethodVisitor {
        private final Map<Label, Set<String>> caught = new HashMap<>();
        private final Runnable onNarrow;

        Handlers(Runnable onNarrow) {
            super(Opcodes.ASM9);
            this.onNarrow = onNarrow;
        }

        @Override
        public void visitTryCatchBlock(Label start, Label end, Label handler, String type) {
            if (type != null) {
                caught.computeIfAbsent(start, key -> new HashSet<>()).add(type);
            }
        }

        @Override
        public void visitEnd() {
            for (Set<String> types : caught.values()) {
                if (!Collections.disjoint(types, EXCEPTIONS) && Collections.disjoint(types, ERRORS)) {
                    onNarrow.run();
                }
            }
        }
    }

    /** A violation of the rule, and code that follows it. */
    static final class Dropping {
        void drop(CompletableFuture<String> future) {
            CompletableFuture<String> unused = future.whenComplete((value, thrown) -> {});
        }

        CompletableFuture<String> keep(CompletableFuture<String> future) {
            CompletableFuture<String> kept = future.whenComplete((value, thrown) -> {});
            return kept.thenApply(String::trim);
        }
    }

    private static List<String> droppedIn(JavaClass type) throws IOException {
        List<String> dropped = new ArrayList<>();
        read(type, name -> new Continuations(type.getName() + "." + name, dropped));
        return dropped;
    }

    /** @param visitors makes the visitor of a method from its name */
    private static void read(JavaClass type, Function<String, MethodVisitor> visitors) throws IOException {
        try (InputStream in = type.getSource().orElseThrow().getUri().toURL().openStream()) {
            new ClassReader(in)
                    .accept(
                            new ClassVisitor(Opcodes.ASM9) {
                                @Override
                                public MethodVisitor visitMethod(
                                        int access, String name, String form, String generic, String[] exceptions) {
                                    return visitors.apply(name);
                                }
                            },
                            ClassReader.SKIP_DEBUG);
        }
    }

    /** Finds the continuations in one method whose result is dropped or assigned to a variable that is never read. */
    private static final class Continuations extends MethodVisitor {
        private final String where;
        private final List<String> dropped;
        private final Map<Integer, String> unread = new HashMap<>();
        private String last;

        Continuations(String where, List<String> dropped) {
            super(Opcodes.ASM9);
            this.where = where;
            this.dropped = dropped;
        }

        @Override
        public void visitMethodInsn(int opcode, String owner, String name, String form, boolean isInterface) {
            boolean continues = opcode == Opcodes.INVOKEVIRTUAL
                    && owner.equals(FUTURE)
                    && form.endsWith(")L" + FUTURE + ";")
                    && form.contains("java/util/function/");
            last = continues ? name : null;
        }

        @Override
        public void visitVarInsn(int opcode, int variable) {
            if (opcode == Opcodes.ASTORE) {
                tell(unread.remove(variable));
                if (last != null) {
                    unread.put(variable, last);
                }
            } else {
                unread.remove(variable);
            }
            last = null;
        }

        @Override
        public void visitInsn(int opcode) {
            if (opcode == Opcodes.POP) {
                tell(last);
            }
            last = null;
        }

        @Override
        public void visitTypeInsn(int opcode, String type) {
            last = null;
        }

        @Override
        public void visitFieldInsn(int opcode, String owner, String name, String form) {
            last = null;
        }

        @Override
        public void visitEnd() {
            unread.values().forEach(this::tell);
        }

        private void tell(String continuation) {
            if (continuation != null) {
                dropped.add(where + ": " + continuation);
            }
        }
    }
}
