package io.verbena.hadoop;

import java.io.IOException;
import org.apache.hadoop.fs.FSMainOperationsBaseTest;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FileSystemContractBaseTest;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.extension.ExtendWith;

/** The tests of hadoop-common for file systems. */
@ExtendWith(SharedExport.class)
final class FileSystemTest {
    private static FileSystem fileSystem() throws IOException {
        return FileSystem.newInstance(SharedExport.export().configuration());
    }

    @Nested
    final class MainOperations extends FSMainOperationsBaseTest {
        MainOperations() {
            super("/main");
        }

        @Override
        protected FileSystem createFileSystem() throws IOException {
            return fileSystem();
        }

        @Override
        protected Path getDefaultWorkingDirectory() {
            return fSys.getHomeDirectory();
        }
    }

    @Nested
    final class Contract extends FileSystemContractBaseTest {
        @BeforeEach
        void open() throws IOException {
            fs = fileSystem();
        }
    }
}
