package io.verbena.itests;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
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
import org.objectweb.asm.tree.InsnNode;
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
 * 53). Such an object is guarded by a {@link java.util.concurrent.locks.Lock}, or is kept by a field, an array, or a
 * method that is not one of ours. What a method of ours makes and returns counts as made by its caller.
 */
final class SharedMonitorTest {
    private static final String ALONE = "one thread has it";
    private static final String ONCE = "made once for a command: the JIT compiler never comes to it";
    private static final String STEPS = "one step of an operation after the other uses it";

    /** The objects that only their maker and lambdas hold, each with the reason why it may have a monitor. */
    private static final Map<String, String> ALLOWED = Map.ofEntries(
            Map.entry(
                    "nfs/nio/internal/TreeOperations.isEmpty makes NfsDirectoryStream",
                    "one thread reads the stream and closes it"),
            Map.entry(
                    "cli/internal/resident/ResidentInstance.accept makes Connection",
                    "the thread that makes it does not call it"),
            Map.entry("cli/CliCommand.endByInterrupt makes CommandJournal", ONCE),
            Map.entry("cli/CliCommand.execute makes CommandJournal", ONCE),
            Map.entry("cli/CommandJournal.forgive makes CommandJournal", ONCE),
            Map.entry("dirfd/internal/linux/LinuxDirectories.requireProc makes LinuxDirectory", ALONE),
            Map.entry("nfs/transfer/internal/engine/TransferEngine.check makes TreeCopy", ALONE),
            Map.entry("nfs41/client/internal/identity/ClientOwner.take makes ProcessNumber", ALONE),
            Map.entry("nfs41/client/internal/file/FileLocks.askAgain makes RetryPolicy$Series", STEPS),
            Map.entry("nfs41/client/internal/session/ClientRegistration.call makes RetryPolicy$Series", STEPS),
            Map.entry("verbs/selftest/internal/SelfTestService.loopback makes SelfTestListenerImpl", ONCE));

    private static final String KEPT = "kept";
    private static final String RETURNED = "returned";

    private final Map<String, ClassNode> classes = new HashMap<>();

    /** What a method gives its caller that only lambdas hold: by owner, name and descriptor, the classes made. */
    private final Map<String, Set<String>> made = new HashMap<>();

    /** The parameters, by owner, name, descriptor and number, that a method keeps where others may find them. */
    private final Set<String> kept = new HashSet<>();

    private final Set<String> found = new TreeSet<>();
    private boolean isNew;

    @Test
    void shouldGuardByNoMonitorWhatOnlyLambdasHold() throws IOException, AnalyzerException {
        for (JavaClass type : new ClassFileImporter()
                .withImportOption(new ImportOption.DoNotIncludeTests())
                .withImportOption(location -> !location.contains("-tests.jar"))
                .importPackages("io.verbena")) {
            read(type);
        }
        collect();
        assertThat(found).containsExactlyInAnyOrderElementsOf(ALLOWED.keySet());
    }

    /** The rule finds the kind, in a class of this test. */
    @Test
    void shouldFindAMonitorThatOnlyALambdaHolds() throws IOException, AnalyzerException {
        String by = shown(read(Maker.class).name);
        String held = " makes " + simple(read(Held.class).name);
        collect();
        assertThat(found)
                .containsExactlyInAnyOrder(
                        by + ".onlyCalled" + held,
                        by + ".onlyCaptured" + held,
                        by + ".onlyPassedToBeCaptured" + held,
                        by + ".madeByAnother" + held);
    }

    private void read(JavaClass type) throws IOException {
        try (InputStream in = type.getSource().orElseThrow().getUri().toURL().openStream()) {
            read(in);
        }
    }

    private ClassNode read(Class<?> type) throws IOException {
        try (InputStream in = type.getResourceAsStream("/" + Type.getInternalName(type) + ".class")) {
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

    /** What becomes of a value that a method gets or makes. */
    private record Value(String parameter, AbstractInsnNode maker, Set<String> uses) {}

    /** A method, and what becomes of its values. */
    private record Flow(String type, String name, String id, List<Value> values) {}

    /** Looks through the flows until nothing more is learned of what methods keep and make. */
    private void collect() throws AnalyzerException {
        List<Flow> flows = new ArrayList<>();
        for (ClassNode type : classes.values()) {
            for (MethodNode method : type.methods) {
                flows.add(flow(type, method));
            }
        }
        do {
            isNew = false;
            found.clear();
            flows.forEach(this::learn);
        } while (isNew);
    }

    private void learn(Flow flow) {
        for (Value value : flow.values) {
            boolean isReturned = value.uses.contains(RETURNED);
            boolean isKept = value.uses.contains(KEPT) || value.uses.stream().anyMatch(kept::contains);
            if (value.parameter != null) {
                isNew |= (isKept || isReturned) && kept.add(value.parameter);
            } else if (!isKept && isReturned) {
                isNew |= made.computeIfAbsent(flow.id, none -> new HashSet<>()).addAll(makes(value.maker));
            } else if (!isKept) {
                makes(value.maker).forEach(name -> found.add(flow.type + "." + flow.name + " makes " + simple(name)));
            }
        }
    }

    /** The classes with monitors of which a step may make an object, itself or by another method. */
    private Set<String> makes(AbstractInsnNode step) {
        if (step instanceof MethodInsnNode call) {
            return made.getOrDefault(id(call), Set.of());
        }
        String name = ((TypeInsnNode) step).desc;
        return hasMonitor(name) ? Set.of(name) : Set.of();
    }

    private static String id(MethodInsnNode call) {
        return call.owner + "." + call.name + call.desc;
    }

    private Flow flow(ClassNode type, MethodNode method) throws AnalyzerException {
        String id = type.name + "." + method.name + method.desc;
        Origins origins = new Origins();
        Frame<SourceValue>[] frames = new Analyzer<>(origins).analyze(type.name, method);
        Map<AbstractInsnNode, Value> values = new LinkedHashMap<>();
        origins.parameters.forEach(
                (parameter, number) -> values.put(parameter, new Value(id + number, parameter, new HashSet<>())));
        for (AbstractInsnNode step : method.instructions) {
            if (step.getOpcode() == Opcodes.NEW
                    || (step instanceof MethodInsnNode call && classes.containsKey(call.owner))) {
                values.put(step, new Value(null, step, new HashSet<>()));
            }
        }
        for (int i = 0; i < frames.length; i++) {
            if (frames[i] != null) {
                use(method.instructions.get(i), frames[i], values);
            }
        }
        return new Flow(shown(type.name), method.name, id, List.copyOf(values.values()));
    }

    /** Notes what a step lets others hold: a field, an array, a caller, a method that keeps it, or is not known. */
    private void use(AbstractInsnNode step, Frame<SourceValue> frame, Map<AbstractInsnNode, Value> values) {
        int top = frame.getStackSize() - 1;
        if (step instanceof MethodInsnNode call) {
            int arguments = Type.getArgumentTypes(call.desc).length;
            for (int i = 0; i < arguments; i++) {
                use(frame.getStack(top - arguments + 1 + i), isKnown(call) ? id(call) + i : KEPT, values);
            }
            return;
        }
        switch (step.getOpcode()) {
            case Opcodes.PUTFIELD, Opcodes.PUTSTATIC, Opcodes.AASTORE, Opcodes.ATHROW ->
                use(frame.getStack(top), KEPT, values);
            case Opcodes.ARETURN -> use(frame.getStack(top), RETURNED, values);
            default -> {}
        }
    }

    private static void use(SourceValue used, String how, Map<AbstractInsnNode, Value> values) {
        for (AbstractInsnNode origin : used.insns) {
            Value value = values.get(origin);
            if (value != null) {
                value.uses.add(how);
            }
        }
    }

    /** Whether a call is of a method of these classes that no subclass overrides, as far as this class can see. */
    private boolean isKnown(MethodInsnNode call) {
        ClassNode owner = classes.get(call.owner);
        if (owner == null || call.getOpcode() == Opcodes.INVOKEINTERFACE) {
            return false;
        }
        for (MethodNode method : owner.methods) {
            if (method.name.equals(call.name) && method.desc.equals(call.desc)) {
                int fixed = Opcodes.ACC_STATIC | Opcodes.ACC_PRIVATE | Opcodes.ACC_FINAL;
                return call.getOpcode() == Opcodes.INVOKESPECIAL
                        || (method.access & fixed) != 0
                        || (owner.access & Opcodes.ACC_FINAL) != 0;
            }
        }
        return false;
    }

    private static String simple(String name) {
        return name.substring(name.lastIndexOf('/') + 1);
    }

    private static String shown(String name) {
        return name.replace("io/verbena/", "");
    }

    /** Follows a value from the step that makes it, or from the parameter that brings it. */
    private static final class Origins extends SourceInterpreter {
        private final Map<AbstractInsnNode, Integer> parameters = new LinkedHashMap<>();

        Origins() {
            super(Opcodes.ASM9);
        }

        @Override
        public SourceValue newParameterValue(boolean isInstanceMethod, int local, Type type) {
            AbstractInsnNode parameter = new InsnNode(Opcodes.NOP);
            parameters.put(parameter, parameters.size() - (isInstanceMethod ? 1 : 0));
            return new SourceValue(type.getSize(), parameter);
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

        static Held returned() {
            return new Held();
        }

        void stored() {
            kept = new Held();
        }

        void onlyPassedToBeCaptured() {
            capture(new Held());
        }

        private static void capture(Held held) {
            new Thread(() -> held.add()).start();
        }

        int madeByAnother() {
            return returned().add();
        }

        void passedToBeKept() {
            keep(new Held());
        }

        private void keep(Held held) {
            kept = held;
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
