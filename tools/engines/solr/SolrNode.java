import java.net.InetSocketAddress;
import java.util.EnumSet;
import javax.servlet.DispatcherType;
import org.apache.solr.servlet.SolrDispatchFilter;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.servlet.DefaultServlet;
import org.eclipse.jetty.servlet.FilterHolder;
import org.eclipse.jetty.servlet.ServletContextHandler;

/** Solr over HTTP on a free port of this machine: Jetty with the filter that Solr's own web application installs. */
public class SolrNode {
  public static void main(String[] arguments) throws Exception {
    String home = System.getProperty("home");
    System.setProperty("solr.solr.home", home);
    Server jetty = new Server(new InetSocketAddress("127.0.0.1", 0));
    ServletContextHandler solr = new ServletContextHandler(jetty, "/solr", ServletContextHandler.SESSIONS);
    solr.setResourceBase(home);
    FilterHolder filter = solr.addFilter(SolrDispatchFilter.class, "/*", EnumSet.of(DispatcherType.REQUEST));
    solr.addServlet(DefaultServlet.class, "/");
    jetty.setStopAtShutdown(true);
    jetty.start();
    ((SolrDispatchFilter) filter.getFilter()).getCores().waitForLoadingCoresToFinish(60_000);
    int port = ((ServerConnector) jetty.getConnectors()[0]).getLocalPort();
    System.out.println("listening on http://127.0.0.1:" + port + "/solr");
    if (Boolean.getBoolean("attached")) {
      // The input ends when the process that started this one ends, even if it was killed.
      while (System.in.read() >= 0) {}
      System.exit(0);
    }
    jetty.join();
  }
}
