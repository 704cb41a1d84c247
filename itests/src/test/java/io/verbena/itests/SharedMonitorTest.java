package io.verbena.itests;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.io.IOException;
import java.io.InputStream;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.tree.TypeInsnNode;
import org.objectweb.asm.tree.analysis.Analyzer;
import org.objectweb.asm.tree.analysis.AnalyzerException;
import org.objectweb.asm.tree.analysis.Frame;
import org.objectweb.asm.tree.analysis.SourceInterpreter;
import org.objectweb.asm.tree.analysis.SourceValue;

/**
 * The monitor of an object guards nothing where the code that makes the object only calls it, and others get it by
 * lambdas alone: HotSpot's C2 takes the object for one that no other thread sees, and removes the monitor (decision
 * 53). Such an object is guarded by a {@link java.util.concurrent.locks.Lock}, or is kept by a field, an array, a
 * result or an argument.
 */
final class SharedMonitorTest {
    /** The objects that only their maker and lambdas hold, each with the reason why it may have a monitor. */
    private static final Map<String, String> ALLOWED = Map.of(
            "nfs/nio/internal/TreeOperations.isEmpty makes nfs/nio/internal/directory/NfsDirectoryStream",
            "one thread reads the stream and closes it",
            "cli/internal/resident/ResidentInstance.accept makes cli/internal/resident/Connection",
            "the thread that makes it does not call it");

    private final Map<String, ClassNode> classes = new HashMap<>();

    @Test
    void shouldGuardByNoMonitorWhatOnlyLambdasHold() throws IOException, AnalyzerException {
        for (JavaClass type : new ClassFileImporter()
                .withImportOption(new ImportOption.DoNotIncludeTests())
                .withImportOption(location -> !location.contains("-tests.jar"))
                .importPackages("io.verbena")) {
            read(type);
        }
        Set<String> found = new TreeSet<>();
        for (ClassNode type : classes.values()) {
            for (MethodNode method : type.methods) {
                collect(type, method, found);
            }
        }
        assertThat(found).containsExactlyInAnyOrderElementsOf(ALLOWED.keySet());
    }

    /** The rule finds the kind, in a class of this test. */
    @Test
    void shouldFindAMonitorThatOnlyALambdaHolds() throws IOException, AnalyzerException {
        ClassNode maker = read(SharedMonitorTest.class, Maker.class);
        read(SharedMonitorTest.class, Held.class);
        Set<String> found = new TreeSet<>();
        for (MethodNode method : maker.methods) {
            collect(maker, method, found);
        }
        String by = shown(maker.name);
        String made = " makes " + shown(Type.getInternalName(Held.class));
        assertThat(found).containsExactlyInAnyOrder(by + ".onlyCalled" + made, by + ".onlyCaptured" + made);
    }

    private void read(JavaClass type) throws IOException {
        try (InputStream in = type.getSource().orElseThrow().getUri().toURL().openStream()) {
            read(in);
        }
    }

    private ClassNode read(Class<?> near, Class<?> type) throws IOException {
        try (InputStream in = near.getResourceAsStream("/" + Type.getInternalName(type) + ".class")) {
            return read(in);
        }
    }

    private ClassNode read(InputStream in) throws IOException {
        ClassNode read = new ClassNode();
        new ClassReader(in).accept(read, ClassReader.SKIP_FRAMES);
        classes.put(read.name, read);
        return read;
    }

    /** Whether an object of that class has a monitor that its own code uses. */
    private boolean hasMonitor(String name) {
        ClassNode type = classes.get(name);
        return type != null
                && (type.methods.stream().anyMatch(SharedMonitorTest::usesMonitor) || hasMonitor(type.superName));
    }

    private static boolean usesMonitor(MethodNode method) {
        boolean isOwn = (method.access & Opcodes.ACC_SYNCHRONIZED) != 0 && (method.access & Opcodes.ACC_STATIC) == 0;
        for (AbstractInsnNode step : method.instructions) {
            isOwn |= step.getOpcode() == Opcodes.MONITORENTER;
        }
        return isOwn;
    }

    private boolean makesMonitor(AbstractInsnNode step) {
        return step.getOpcode() == Opcodes.NEW && hasMonitor(((TypeInsnNode) step).desc);
    }

    /** Adds what a method makes and keeps to itself and to lambdas. */
    private void collect(ClassNode type, MethodNode method, Set<String> found) throws AnalyzerException {
        Map<AbstractInsnNode, Boolean> isKept = new LinkedHashMap<>();
        for (AbstractInsnNode step : method.instructions) {
            if (makesMonitor(step)) {
                isKept.put(step, false);
            }
        }
        if (isKept.isEmpty()) {
            return;
        }
        Frame<SourceValue>[] frames = new Analyzer<>(new Origins()).analyze(type.name, method);
        for (int i = 0; i < frames.length; i++) {
            if (frames[i] != null) {
                keep(method.instructions.get(i), frames[i], isKept);
            }
        }
        isKept.forEach((made, kept) -> {
            if (!kept) {
                found.add(shown(type.name) + "." + method.name + " makes " + shown(((TypeInsnNode) made).desc));
            }
        });
    }

    private static String shown(String name) {
        return name.replace("io/verbena/", "");
    }

    /** Notes what a step lets others hold: a field, an array, a caller, a called method, one that catches. */
    private static void keep(AbstractInsnNode step, Frame<SourceValue> frame, Map<AbstractInsnNode, Boolean> isKept) {
        int taken = step instanceof MethodInsnNode call
                ? Type.getArgumentTypes(call.desc).length
                : switch (step.getOpcode()) {
                    case Opcodes.PUTFIELD, Opcodes.PUTSTATIC, Opcodes.AASTORE, Opcodes.ARETURN, Opcodes.ATHROW -> 1;
                    default -> 0;
                };
        for (int i = 1; i <= taken; i++) {
            for (AbstractInsnNode made : frame.getStack(frame.getStackSize() - i).insns) {
                isKept.computeIfPresent(made, (same, before) -> true);
            }
        }
    }

    /** Follows a value from the step that makes it. */
    private static final class Origins extends SourceInterpreter {
        Origins() {
            super(Opcodes.ASM9);
        }

        @Override
        public SourceValue copyOperation(AbstractInsnNode step, SourceValue value) {
            return value;
        }

        @Override
        public SourceValue unaryOperation(AbstractInsnNode step, SourceValue value) {
            return step.getOpcode() == Opcodes.CHECKCAST ? value : super.unaryOperation(step, value);
        }
    }

    /** Makes objects with monitors. */
    static final class Maker {
        private Held kept;

        int onlyCalled() {
            return new Held().add();
        }

        Supplier<Integer> onlyCaptured() {
            Held made = new Held();
            return () -> made.add();
        }

        Held returned() {
            return new Held();
        }

        void stored() {
            kept = new Held();
        }

        int passed(Set<Object> all) {
            Held made = new Held();
            all.add(made);
            return made.add() + kept.add();
        }
    }

    /** Has a monitor. */
    static final class Held {
        private int count;

        synchronized int add() {
            return ++count;
        }
    }
}
