package io.verbena.simulation.disk;

import java.nio.file.FileStore;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.FileAttributeView;
import java.nio.file.attribute.FileStoreAttributeView;
import java.nio.file.attribute.PosixFileAttributeView;

/** The space of a disk. Its type is that of the file system that it behaves like. */
final class SimulatedFileStore extends FileStore {
    private final SimulatedDisk disk;

    SimulatedFileStore(SimulatedDisk disk) {
        this.disk = disk;
    }

    @Override
    public String name() {
        return "simulated";
    }

    @Override
    public String type() {
        return "ext4";
    }

    @Override
    public boolean isReadOnly() {
        return false;
    }

    @Override
    public long getTotalSpace() {
        return disk.faults().capacity();
    }

    @Override
    public long getUsableSpace() {
        long used = disk.space().usedPages() * FileContent.PAGE;
        return Math.max(0, disk.faults().capacity() - used);
    }

    @Override
    public long getUnallocatedSpace() {
        return getUsableSpace();
    }

    @Override
    public long getBlockSize() {
        return FileContent.PAGE;
    }

    @Override
    public boolean supportsFileAttributeView(Class<? extends FileAttributeView> type) {
        return type == BasicFileAttributeView.class || type == PosixFileAttributeView.class;
    }

    @Override
    public boolean supportsFileAttributeView(String name) {
        return name.equals("basic") || name.equals("posix") || name.equals("unix");
    }

    @Override
    public <V extends FileStoreAttributeView> V getFileStoreAttributeView(Class<V> type) {
        return null;
    }

    @Override
    public Object getAttribute(String attribute) {
        throw new UnsupportedOperationException("no attribute '" + attribute + "'");
    }
}
