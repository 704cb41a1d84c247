package io.verbena.itests;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.thirdparty.org.objectweb.asm.ClassReader;
import com.tngtech.archunit.thirdparty.org.objectweb.asm.ClassVisitor;
import com.tngtech.archunit.thirdparty.org.objectweb.asm.MethodVisitor;
import com.tngtech.archunit.thirdparty.org.objectweb.asm.Opcodes;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/**
 * Code that continues a future keeps the resulting future, since that one holds the continuation's exception. Where
 * nobody needs the result, the class {@code Futures} of the bundle continues the future, and is told what to end after
 * an exception.
 */
final class FailureRuleTest {
    private static final String FUTURE = "java/util/concurrent/CompletableFuture";
    private static final String FUTURES = "Futures";

    @Test
    void shouldDropNoContinuation() throws IOException {
        List<String> dropped = new ArrayList<>();
        for (JavaClass type : new ClassFileImporter()
                .withImportOption(new ImportOption.DoNotIncludeTests())
                .withImportOption(location -> !location.contains("-tests.jar"))
                .importPackages("io.verbena")) {
            if (!type.getSimpleName().equals(FUTURES)) {
                dropped.addAll(droppedIn(type));
            }
        }
        assertThat(dropped).isEmpty();
    }

    @Test
    void shouldFindADroppedContinuation() throws IOException {
        assertThat(droppedIn(new ClassFileImporter().importClass(Dropping.class)))
                .containsExactly(Dropping.class.getName() + ".drop: whenComplete");
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
        try (InputStream in = type.getSource().orElseThrow().getUri().toURL().openStream()) {
            new ClassReader(in)
                    .accept(
                            new ClassVisitor(Opcodes.ASM9) {
                                @Override
                                public MethodVisitor visitMethod(
                                        int access, String name, String form, String generic, String[] exceptions) {
                                    return new Continuations(type.getName() + "." + name, dropped);
                                }
                            },
                            ClassReader.SKIP_DEBUG);
        }
        return dropped;
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
