import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonConfigurationKeysPublic;
import org.apache.hadoop.mapreduce.MRConfig;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.v2.MiniMRYarnCluster;
import org.apache.hadoop.tools.DistCp;
import org.apache.hadoop.util.ToolRunner;
import org.apache.hadoop.yarn.conf.YarnConfiguration;

/**
 * Copies one directory to another by distcp on a YARN cluster of two nodes, whose default file system is that of the
 * first one; each task is a JVM of its own.
 *
 * <pre>CopyOnCluster FROM TO</pre>
 */
class CopyOnCluster {
    public static void main(String[] arguments) throws Exception {
        Configuration configuration = new YarnConfiguration();
        configuration.set(CommonConfigurationKeysPublic.FS_DEFAULT_NAME_KEY, arguments[0]);
        configuration.set("fs.AbstractFileSystem.nfs+rdma.impl", "io.verbena.hadoop.NfsAbstractFileSystem");
        configuration.set("fs.verbena.identity", "process");
        configuration.set("yarn.app.mapreduce.am.staging-dir", "/staging");
        configuration.setBoolean(YarnConfiguration.YARN_MINICLUSTER_FIXED_PORTS, false);
        configuration.setInt(YarnConfiguration.RM_SCHEDULER_MINIMUM_ALLOCATION_MB, 256);
        configuration.setBoolean(YarnConfiguration.NM_PMEM_CHECK_ENABLED, false);
        configuration.setBoolean(YarnConfiguration.NM_VMEM_CHECK_ENABLED, false);
        configuration.setFloat(YarnConfiguration.NM_MAX_PER_DISK_UTILIZATION_PERCENTAGE, 100);
        configuration.setInt(MRJobConfig.MAP_MEMORY_MB, 512);
        configuration.set(MRJobConfig.MAP_JAVA_OPTS, "-Xmx256m");
        configuration.setInt("yarn.app.mapreduce.am.resource.mb", 512);
        configuration.set("yarn.app.mapreduce.am.command-opts", "-Xmx384m");
        try (MiniMRYarnCluster cluster = new MiniMRYarnCluster("copy", 2)) {
            cluster.init(configuration);
            cluster.start();
            Configuration job = new Configuration(cluster.getConfig());
            job.set(MRConfig.FRAMEWORK_NAME, MRConfig.YARN_FRAMEWORK_NAME);
            int status = ToolRunner.run(
                    job, new DistCp(job, null), new String[] {"-m", "4", arguments[0], arguments[1]});
            System.out.println("COPIED " + status);
            int again = ToolRunner.run(
                    job, new DistCp(job, null), new String[] {"-update", "-m", "4", arguments[0], arguments[1]});
            System.out.println("UPDATED " + again);
        }
        System.exit(0);
    }
}
