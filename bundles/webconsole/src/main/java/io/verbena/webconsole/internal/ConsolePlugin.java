package io.verbena.webconsole.internal;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.verbena.memory.MemoryBudget;
import io.verbena.nfs.Mount;
import io.verbena.rpcrdma.ConnectionMonitor;
import io.verbena.runtime.Runtime;
import io.verbena.verbs.trace.WireTrace;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.json.Json;
import javax.json.JsonWriter;
import javax.json.JsonWriterFactory;
import javax.servlet.Servlet;
import javax.servlet.ServletException;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;
import org.apache.felix.webconsole.AbstractWebConsolePlugin;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ReferenceCardinality;
import org.osgi.service.component.annotations.ReferencePolicy;
import org.osgi.service.component.annotations.ReferencePolicyOption;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The page. It is there whether or not there are mounts, connections, a budget and traces. The console asks for a user
 * and a password before a request comes here.
 */
@Component(
        service = Servlet.class,
        property = {
            "felix.webconsole.label=" + ConsolePlugin.LABEL,
            "felix.webconsole.title=" + ConsolePlugin.TITLE,
        })
public final class ConsolePlugin extends AbstractWebConsolePlugin implements Figures.Services {
    /** The page's part of the console's path. */
    static final String LABEL = "verbena";

    static final String TITLE = "Verbena";

    private static final long serialVersionUID = 1L;
    private static final Logger LOG = LoggerFactory.getLogger(ConsolePlugin.class);

    private static final String PAGE = "/" + LABEL;
    private static final String FIGURES = PAGE + "/figures.json";
    private static final Map<String, String> RESOURCES =
            Map.of("console.js", "text/javascript", "console.css", "text/css");

    /** The console's frame of the page has scripts, styles and pictures in it; nothing of another host loads. */
    private static final String POLICY_OF_PAGE = "default-src 'none'; script-src 'self' 'unsafe-inline'; "
            + "style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; connect-src 'self'; "
            + "form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

    private static final String POLICY = "default-src 'none'; frame-ancestors 'none'";

    /** The frame of the tables. What is in them comes from the script, as text. */
    private static final String FRAME =
            """
            <div id="verbena" data-figures="%1$s/figures.json">
            <noscript>This page needs JavaScript.</noscript>
            </div>
            <script src="%1$s/console.js"></script>""";

    /** In the order of references: the last one of a name has taken the place of the others, and comes first. */
    @Reference(cardinality = ReferenceCardinality.MULTIPLE, policy = ReferencePolicy.DYNAMIC)
    transient volatile List<Mount> mounts = List.of();

    @Reference(
            cardinality = ReferenceCardinality.OPTIONAL,
            policy = ReferencePolicy.DYNAMIC,
            policyOption = ReferencePolicyOption.GREEDY)
    private transient volatile ConnectionMonitor monitor;

    @Reference(
            cardinality = ReferenceCardinality.OPTIONAL,
            policy = ReferencePolicy.DYNAMIC,
            policyOption = ReferencePolicyOption.GREEDY)
    private transient volatile MemoryBudget memory;

    @Reference(
            cardinality = ReferenceCardinality.OPTIONAL,
            policy = ReferencePolicy.DYNAMIC,
            policyOption = ReferencePolicyOption.GREEDY)
    private transient volatile WireTrace trace;

    private final transient Figures figures;
    private final transient JsonWriterFactory json = Json.createWriterFactory(Map.of());

    @Activate
    public ConsolePlugin(@Reference Runtime runtime) {
        this.figures = new Figures(this, runtime);
    }

    @Override
    public List<Mount> mounts() {
        return mounts;
    }

    @Override
    public Optional<ConnectionMonitor> monitor() {
        return Optional.ofNullable(monitor);
    }

    @Override
    public Optional<MemoryBudget> memory() {
        return Optional.ofNullable(memory);
    }

    @Override
    public Optional<WireTrace> trace() {
        return Optional.ofNullable(trace);
    }

    @Override
    public String getLabel() {
        return LABEL;
    }

    @Override
    public String getTitle() {
        return TITLE;
    }

    @Override
    protected String[] getCssReferences() {
        return new String[] {PAGE + "/console.css"};
    }

    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response)
            throws ServletException, IOException {
        response.setHeader("Content-Security-Policy", POLICY);
        response.setHeader("X-Content-Type-Options", "nosniff");
        response.setHeader("Referrer-Policy", "no-referrer");
        response.setHeader("Cache-Control", "no-store");
        if (request.getMethod().equals("GET")) {
            doGet(request, response);
        } else {
            response.setHeader("Allow", "GET");
            send(response, HttpServletResponse.SC_METHOD_NOT_ALLOWED, "text/plain", "only GET\n".getBytes(UTF_8));
        }
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response)
            throws ServletException, IOException {
        String path = request.getPathInfo();
        if (path.equals(PAGE) || path.equals(PAGE + "/")) {
            response.setHeader("Content-Security-Policy", POLICY_OF_PAGE);
            super.doGet(request, response);
        } else if (path.equals(FIGURES)) {
            send(response, HttpServletResponse.SC_OK, "application/json", document());
        } else {
            String name = path.substring(path.lastIndexOf('/') + 1);
            if (path.equals(PAGE + "/" + name) && RESOURCES.containsKey(name)) {
                send(response, HttpServletResponse.SC_OK, RESOURCES.get(name), resource(name));
            } else {
                byte[] refusal = "there is no such resource\n".getBytes(UTF_8);
                send(response, HttpServletResponse.SC_NOT_FOUND, "text/plain", refusal);
            }
        }
    }

    private byte[] document() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (JsonWriter writer = json.createWriter(out, UTF_8)) {
            writer.writeObject(figures.collect());
        } catch (RuntimeException | Error e) {
            LOG.warn("no figures for the page", e);
            throw e;
        }
        return out.toByteArray();
    }

    private static byte[] resource(String name) throws IOException {
        try (InputStream in = ConsolePlugin.class.getResourceAsStream(name)) {
            return in.readAllBytes();
        }
    }

    private static void send(HttpServletResponse response, int status, String type, byte[] body) throws IOException {
        response.setStatus(status);
        response.setContentType(type);
        response.setCharacterEncoding("utf-8");
        response.setContentLength(body.length);
        response.getOutputStream().write(body);
    }

    @Override
    protected void renderContent(HttpServletRequest request, HttpServletResponse response) throws IOException {
        String root = request.getContextPath() + request.getServletPath() + PAGE;
        response.getWriter().println(FRAME.formatted(root));
    }
}
