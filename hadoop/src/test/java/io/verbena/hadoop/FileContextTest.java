package io.verbena.hadoop;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.net.URI;
import org.apache.hadoop.fs.FCStatisticsBaseTest;
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.FileContextCreateMkdirBaseTest;
import org.apache.hadoop.fs.FileContextMainOperationsBaseTest;
import org.apache.hadoop.fs.FileContextPermissionBase;
import org.apache.hadoop.fs.FileContextTestHelper;
import org.apache.hadoop.fs.FileContextURIBase;
import org.apache.hadoop.fs.FileContextUtilBase;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.extension.ExtendWith;

/** The tests of hadoop-common for file systems behind {@code FileContext}. */
@ExtendWith(SharedExport.class)
final class FileContextTest {
    private static FileContext context() throws IOException {
        return FileContext.getFileContext(
                SharedExport.export().uri(), SharedExport.export().configuration());
    }

    @Nested
    final class MainOperations extends FileContextMainOperationsBaseTest {
        @BeforeEach
        @Override
        public void setUp() throws Exception {
            fc = context();
            super.setUp();
        }

        @Override
        protected FileContextTestHelper createFileContextHelper() {
            return new FileContextTestHelper("/context/main");
        }

        @Override
        protected Path getDefaultWorkingDirectory() throws IOException {
            return fc.getHomeDirectory();
        }

        @Override
        protected boolean listCorruptedBlocksSupported() {
            return false;
        }
    }

    @Nested
    final class CreateMkdir extends FileContextCreateMkdirBaseTest {
        @BeforeEach
        @Override
        public void setUp() throws Exception {
            fc = context();
            super.setUp();
        }

        @Override
        protected FileContextTestHelper createFileContextHelper() {
            return new FileContextTestHelper("/context/mkdir");
        }
    }

    @Nested
    final class Permission extends FileContextPermissionBase {
        @Override
        protected FileContextTestHelper getFileContextHelper() {
            return new FileContextTestHelper("/context/permission");
        }

        @Override
        protected FileContext getFileContext() throws IOException {
            // the user of this process, whose groups the tests give files to
            return FileContext.getFileContext(
                    SharedExport.own().uri(), SharedExport.own().configurationOfProcess());
        }
    }

    @Nested
    final class Uris extends FileContextURIBase {
        @BeforeEach
        @Override
        public void setUp() throws Exception {
            fc1 = context();
            fc2 = context();
            super.setUp();
        }
    }

    @Nested
    final class Util extends FileContextUtilBase {
        @BeforeEach
        @Override
        public void setUp() throws Exception {
            fc = context();
            super.setUp();
        }
    }

    @Nested
    final class Statistics extends FCStatisticsBaseTest {
        @BeforeEach
        void makeDirectory() throws Exception {
            FileContext.clearStatistics(); // other tests have read and written
            fc = context();
            fc.mkdir(fileContextTestHelper.getTestRootPath(fc, "test"), FileContext.DEFAULT_PERM, true);
        }

        @AfterEach
        void removeDirectory() throws Exception {
            fc.delete(fileContextTestHelper.getTestRootPath(fc, "test"), true);
        }

        @Override
        protected void verifyReadBytes(FileSystem.Statistics statistics) {
            assertEquals(2L * blockSize, statistics.getBytesRead());
        }

        @Override
        protected void verifyWrittenBytes(FileSystem.Statistics statistics) {
            assertEquals(blockSize, statistics.getBytesWritten());
        }

        @Override
        protected URI getFsUri() {
            return SharedExport.export().uri();
        }
    }
}
