package io.verbena.simulation.coverage;

import java.util.ArrayList;
import java.util.List;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.FieldVisitor;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** Rewrites a class: where it sets a state, it also counts that. */
final class StateWeaver extends ClassVisitor {
    private static final int API = Opcodes.ASM9;
    private static final String COVERAGE = StateCoverage.class.getName().replace('.', '/');
    private static final String REFERENCE = "java/util/concurrent/atomic/AtomicReference";

    private final StateCoverage coverage;
    private final List<StateMachine> machines;
    private final List<String> constants = new ArrayList<>();
    private String name;

    private StateWeaver(ClassVisitor next, StateCoverage coverage, List<StateMachine> machines) {
        super(API, next);
        this.coverage = coverage;
        this.machines = machines;
    }

    /** Rewrites a class file; returns the same octets where the class sets no state. */
    static byte[] weave(byte[] classFile, StateCoverage coverage, List<StateMachine> machines) {
        ClassReader reader = new ClassReader(classFile);
        ClassWriter writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS);
        reader.accept(new StateWeaver(writer, coverage, machines), 0);
        return writer.toByteArray();
    }

    @Override
    public void visit(
            int version, int access, String internalName, String signature, String parent, String[] interfaces) {
        name = internalName;
        super.visit(version, access, internalName, signature, parent, interfaces);
    }

    @Override
    public FieldVisitor visitField(int access, String field, String descriptor, String signature, Object value) {
        if ((access & Opcodes.ACC_ENUM) != 0) {
            constants.add(field);
        }
        return super.visitField(access, field, descriptor, signature, value);
    }

    @Override
    public void visitEnd() {
        for (StateMachine each : machines) {
            if (each.internalName().equals(name)) {
                coverage.add(each, List.copyOf(constants));
            }
        }
        super.visitEnd();
    }

    @Override
    public MethodVisitor visitMethod(
            int access, String method, String descriptor, String signature, String[] exceptions) {
        return new Method(super.visitMethod(access, method, descriptor, signature, exceptions));
    }

    private StateMachine ofDescriptor(String descriptor) {
        for (StateMachine each : machines) {
            if (each.descriptor().equals(descriptor)) {
                return each;
            }
        }
        return null;
    }

    /** A method. */
    private final class Method extends MethodVisitor {
        private int line;
        /** The constant that the last instruction has loaded; empty for another instruction. */
        private String loaded = "";

        private StateMachine loadedOf;

        Method(MethodVisitor next) {
            super(API, next);
        }

        @Override
        public void visitLineNumber(int number, Label start) {
            line = number;
            super.visitLineNumber(number, start);
        }

        /** Two ways meet here: what was loaded may be either of two. */
        @Override
        public void visitFrame(int type, int locals, Object[] local, int stack, Object[] onStack) {
            loaded = "";
            super.visitFrame(type, locals, local, stack, onStack);
        }

        @Override
        public void visitFieldInsn(int opcode, String owner, String field, String descriptor) {
            StateMachine machine = ofDescriptor(descriptor);
            if (machine != null && opcode == Opcodes.PUTFIELD) {
                // object, state -> object, state, state before, state, site
                super.visitInsn(Opcodes.DUP2);
                super.visitInsn(Opcodes.SWAP);
                super.visitFieldInsn(Opcodes.GETFIELD, owner, field, descriptor);
                super.visitInsn(Opcodes.SWAP);
                site(machine);
                super.visitMethodInsn(
                        Opcodes.INVOKESTATIC, COVERAGE, "set", "(Ljava/lang/Enum;Ljava/lang/Enum;I)V", false);
            }
            super.visitFieldInsn(opcode, owner, field, descriptor);
            boolean isConstant = machine != null && opcode == Opcodes.GETSTATIC && owner.equals(machine.internalName());
            loaded = isConstant ? field : "";
            loadedOf = isConstant ? machine : null;
        }

        @Override
        public void visitMethodInsn(int opcode, String owner, String called, String descriptor, boolean isInterface) {
            if (owner.equals(REFERENCE) && loadedOf != null && called.equals("set")) {
                site(loadedOf);
                super.visitMethodInsn(
                        Opcodes.INVOKESTATIC, COVERAGE, called, "(L" + REFERENCE + ";Ljava/lang/Object;I)V", false);
            } else if (owner.equals(REFERENCE) && loadedOf != null && called.equals("compareAndSet")) {
                site(loadedOf);
                super.visitMethodInsn(
                        Opcodes.INVOKESTATIC,
                        COVERAGE,
                        called,
                        "(L" + REFERENCE + ";Ljava/lang/Object;Ljava/lang/Object;I)Z",
                        false);
            } else {
                super.visitMethodInsn(opcode, owner, called, descriptor, isInterface);
            }
            loaded = "";
            loadedOf = null;
        }

        private void site(StateMachine machine) {
            String place = name.substring(name.lastIndexOf('/') + 1) + ":" + line;
            super.visitLdcInsn(coverage.add(new StateSite(machine, place, loaded)));
        }
    }
}
