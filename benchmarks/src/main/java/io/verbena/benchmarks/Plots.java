package io.verbena.benchmarks;

import io.verbena.nfs.Mount;
import java.awt.Color;
import java.awt.Dimension;
import java.awt.Rectangle;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.text.DecimalFormat;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.apache.batik.svggen.SVGGraphics2D;
import org.jfree.chart.JFreeChart;
import org.jfree.chart.axis.LogAxis;
import org.jfree.chart.axis.NumberAxis;
import org.jfree.chart.axis.NumberTickUnit;
import org.jfree.chart.plot.XYPlot;
import org.jfree.chart.renderer.xy.XYLineAndShapeRenderer;
import org.jfree.data.RangeType;
import org.jfree.data.xy.XYSeries;
import org.jfree.data.xy.XYSeriesCollection;
import org.w3c.dom.Document;

/**
 * Plots of throughput and operations against the number of operations in flight and the size of a block, as ratios to
 * plain TCP in the same round. Client and export are two processes over loopback.
 *
 * <pre>
 * benchmarks/run --plots FOLDER [ROUNDS [MILLISECONDS [DIRECTORY]]]
 * </pre>
 */
public final class Plots {
    private static final int WARM_UP_ROUNDS = 2;
    private static final double[] IN_FLIGHT = {1, 2, 4, 8, 16, 32};
    private static final double[] KIB = {4, 16, 64, 256, 1024};
    private static final String SVG = "http://www.w3.org/2000/svg";
    private static final int WIDTH = 720;
    private static final int HEIGHT = 420;

    private final int rounds;
    private final Duration time;
    private final Path folder;

    private Plots(int rounds, Duration time, Path folder) {
        this.rounds = rounds;
        this.time = time;
        this.folder = folder;
    }

    public static void main(String[] arguments) throws Exception {
        Path folder = Files.createDirectories(Path.of(arguments[0]));
        int rounds = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 5;
        Duration time = Duration.ofMillis(arguments.length > 2 ? Long.parseLong(arguments[2]) : 300);
        Path parent = arguments.length > 3 ? Path.of(arguments[3]) : WholePath.fastDirectory();
        Path directory = Files.createTempDirectory(parent, "verbena-benchmark");
        try (ExportProcess export = new ExportProcess(directory);
                MountedExport mounted = new MountedExport(export.address(), InlineOption.behind("noac"))) {
            new Plots(rounds, time, folder).draw(mounted.mount());
        } finally {
            WholePath.deleteAll(directory);
        }
    }

    /** Makes the case for a value of the horizontal axis. */
    @FunctionalInterface
    private interface Maker {
        Case of(int value) throws IOException;
    }

    private void draw(Mount mount) throws Exception {
        XYPlot octets = plot("octets/s against a raw TCP stream", "operations of 1 MiB in flight");
        add(octets, "READ", IN_FLIGHT, RawTcp.stream(), value -> new NfsTransfer(mount, true, 1 << 20, value));
        add(octets, "WRITE", IN_FLIGHT, RawTcp.stream(), value -> new NfsTransfer(mount, false, 1 << 20, value));
        save(octets, "throughput-in-flight");
        XYPlot sizes = plot("octets/s against a raw TCP stream", "KiB of an operation, four in flight");
        add(sizes, "READ", KIB, RawTcp.stream(), value -> new NfsTransfer(mount, true, value << 10, 4));
        add(sizes, "WRITE", KIB, RawTcp.stream(), value -> new NfsTransfer(mount, false, value << 10, 4));
        save(sizes, "throughput-size");
        XYPlot operations = plot("operations/s against a raw TCP ping-pong", "operations in flight");
        add(operations, "READ of 4 KiB", IN_FLIGHT, RawTcp.pingPong(), value -> small(mount, true, value));
        add(operations, "WRITE of 4 KiB", IN_FLIGHT, RawTcp.pingPong(), value -> small(mount, false, value));
        add(
                operations,
                "GETATTR",
                IN_FLIGHT,
                RawTcp.pingPong(),
                value -> new Calls("GETATTR", value, (lane, number) -> mount.attributesAsync("/")));
        save(operations, "operations-in-flight");
    }

    private static Case small(Mount mount, boolean reads, int outstanding) throws IOException {
        return TwoProcesses.operations(new NfsTransfer(mount, reads, 4 << 10, outstanding), 4 << 10);
    }

    /** A plot whose horizontal axis is logarithmic. */
    private static XYPlot plot(String vertical, String horizontal) {
        LogAxis across = new LogAxis(horizontal);
        across.setBase(2);
        across.setTickUnit(new NumberTickUnit(1)); // a power of two
        across.setNumberFormatOverride(new DecimalFormat("#"));
        NumberAxis up = new NumberAxis(vertical);
        up.setRangeType(RangeType.POSITIVE);
        return new XYPlot(new XYSeriesCollection(), across, up, new XYLineAndShapeRenderer());
    }

    /** Adds the medians of the ratios to a plot. */
    private void add(XYPlot plot, String name, double[] values, Case baseline, Maker maker) throws Exception {
        List<Case> cases = new ArrayList<>();
        for (double value : values) {
            cases.add(maker.of((int) value));
        }
        double[][] ratios = new double[values.length][rounds];
        for (int round = -WARM_UP_ROUNDS; round < rounds; round++) {
            double against = baseline.run(time);
            for (int at = 0; at < values.length; at++) {
                double rate = cases.get(at).run(time);
                if (round >= 0) {
                    ratios[at][round] = rate / against;
                }
            }
        }
        double[] medians = Arrays.stream(ratios).mapToDouble(Table::median).toArray();
        XYSeries series = new XYSeries(name);
        for (int at = 0; at < values.length; at++) {
            series.add(values[at], medians[at]);
        }
        ((XYSeriesCollection) plot.getDataset()).addSeries(series);
        for (Case each : cases) {
            each.close();
        }
        baseline.close();
        System.err.println(name + ": " + Arrays.toString(values) + " " + Arrays.toString(medians));
    }

    private void save(XYPlot plot, String name) throws IOException, ParserConfigurationException {
        Document document = DocumentBuilderFactory.newDefaultNSInstance()
                .newDocumentBuilder()
                .getDOMImplementation()
                .createDocument(SVG, "svg", null);
        SVGGraphics2D graphics = new SVGGraphics2D(document);
        graphics.setSVGCanvasSize(new Dimension(WIDTH, HEIGHT));
        JFreeChart chart = new JFreeChart(null, JFreeChart.DEFAULT_TITLE_FONT, plot, true);
        chart.setBackgroundPaint(Color.WHITE);
        chart.draw(graphics, new Rectangle(WIDTH, HEIGHT));
        try (Writer out = Files.newBufferedWriter(folder.resolve(name + ".svg"))) {
            graphics.stream(out, true);
        }
    }
}
