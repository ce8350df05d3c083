package dev.runlane.connector.process;

import dev.runlane.run.RunlaneException;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * What a child sees of the environment: nothing is inherited but names on a list. On top come what the
 * connector's folder sets, what the run sets, and the connection's secrets. A name that means something to the
 * runtime or the system cannot be replaced by a secret.
 */
public final class ChildEnvironment {
  /** Carries the mark by which all processes of a run are found. */
  static final String MARKER = "RUNLANE_CHILD_MARKER";

  private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0,127}");

  private static final Set<String> SYSTEM =
      Set.of("PATH", "HOME", "TMPDIR", "TMP", "TEMP", "LANG", "TZ");
  private static final Set<String> CERTIFICATES = Set.of(
      "SSL_CERT_FILE",
      "SSL_CERT_DIR",
      "CURL_CA_BUNDLE",
      "REQUESTS_CA_BUNDLE",
      "NODE_EXTRA_CA_CERTS");
  private static final Set<String> DISPLAY = Set.of(
      "DISPLAY",
      "XAUTHORITY",
      "XDG_RUNTIME_DIR",
      "PLAYWRIGHT_BROWSERS_PATH",
      "PUPPETEER_EXECUTABLE_PATH",
      "CHROME_PATH",
      "PDPP_TRACE",
      "PDPP_BROWSER_PROFILE_ROOT",
      "PDPP_BROWSER_HEADLESS");
  private static final Set<String> PROXIES =
      Set.of("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY");
  /** Read by the loader, a shell or an interpreter before the connector's first line runs. */
  private static final Set<String> STEERING = Set.of(
      "IFS",
      "ENV",
      "BASH_ENV",
      "BASHOPTS",
      "SHELLOPTS",
      "CDPATH",
      "GLOBIGNORE",
      "PS4",
      "PROMPT_COMMAND",
      "ZDOTDIR",
      "GCONV_PATH",
      "GLIBC_TUNABLES",
      "LOCPATH",
      "OPENSSL_CONF",
      "OPENSSL_MODULES",
      "OPENSSL_ENGINES",
      "NODE_OPTIONS",
      "NODE_PATH",
      "NODE_REPL_EXTERNAL_MODULE",
      "PYTHONPATH",
      "PYTHONHOME",
      "PYTHONSTARTUP",
      "PYTHONINSPECT",
      "PYTHONBREAKPOINT",
      "PYTHONWARNINGS",
      "PYTHONUSERBASE",
      "PYTHONPLATLIBDIR",
      "PYTHONEXECUTABLE",
      "PYTHONPYCACHEPREFIX",
      "PERLLIB",
      "PERL5LIB",
      "PERL5OPT",
      "PERL5DB",
      "RUBYOPT",
      "RUBYLIB",
      "RUBYSHELL",
      "GEM_HOME",
      "GEM_PATH",
      "CLASSPATH",
      "JAVA_TOOL_OPTIONS",
      "JDK_JAVA_OPTIONS",
      "_JAVA_OPTIONS",
      "JAVA_OPTIONS",
      "PHPRC",
      "PHP_INI_SCAN_DIR",
      "LUA_INIT",
      "LUA_PATH",
      "LUA_CPATH",
      "DOTNET_STARTUP_HOOKS",
      "CORECLR_PROFILER",
      "CORECLR_PROFILER_PATH",
      "R_PROFILE",
      "R_PROFILE_USER",
      "R_ENVIRON",
      "R_ENVIRON_USER",
      "ERL_FLAGS",
      "ERL_AFLAGS",
      "ERL_ZFLAGS");

  /** Whole families of such names. */
  private static final List<String> STEERING_FAMILIES =
      List.of("LD_", "DYLD_", "BASH_FUNC_", "LUA_INIT_");

  private static final String LOCALE = "LC_";
  private static final String RUN = "PDPP_";

  private final Map<String, String> variables = new HashMap<>();

  private ChildEnvironment() {}

  /**
   * The listed variables of {@code host}, which is usually {@code System.getenv()} of the application.
   *
   * @param proxies whether the connector is approved for the host's proxies
   */
  public static ChildEnvironment from(Map<String, String> host, Proxies proxies) {
    ChildEnvironment environment = new ChildEnvironment();
    host.forEach((name, value) -> {
      if (isInherited(name) || (proxies == Proxies.APPROVED && isProxy(name))) {
        environment.variables.put(name, value);
      }
    });
    return environment;
  }

  /** Makes what was inherited fit for a child of another user: its own home, and nothing of the host's session. */
  public ChildEnvironment ofUser(ChildUser user) {
    variables.put("HOME", user.home());
    variables.keySet().removeAll(Set.of("XAUTHORITY", "XDG_RUNTIME_DIR"));
    return this;
  }

  /**
   * Adds what the connector's folder sets; it may replace what was inherited. Throws {@code
   * ConfigurationInvalid} for a malformed variable, a proxy, names of the run, and names that {@linkplain
   * #isSteering mean something to the loader, a shell or an interpreter}.
   */
  public ChildEnvironment declared(Map<String, String> declared) {
    declared.forEach((name, value) -> {
      requireVariable(name, value);
      if (isSteering(name)) {
        throw RunlaneException.configurationInvalid(
            "the variable %s means something to the loader, a shell or an interpreter and cannot be"
                + " set for a connector; its command can: env %s=… PROGRAM",
            name, name);
      }
      if (isProxy(name) || name.equals(MARKER) || (isRun(name) && !DISPLAY.contains(name))) {
        throw RunlaneException.configurationInvalid(
            "a connector's folder cannot set the reserved variable %s", name);
      }
      variables.put(name, value);
    });
    return this;
  }

  /** Adds what the runtime passes about the run, such as {@code PDPP_RUN_ID}. */
  public ChildEnvironment run(Map<String, String> run) {
    run.forEach((name, value) -> {
      requireVariable(name, value);
      variables.put(name, value);
    });
    return this;
  }

  /**
   * Adds the connection's secrets. Throws {@code ConfigurationInvalid}, naming the name alone, for a malformed
   * variable, for a reserved name, and for one the folder sets too.
   */
  public ChildEnvironment secrets(Map<String, String> secrets) {
    secrets.forEach((name, value) -> {
      requireVariable(name, value);
      if (isReserved(name) || variables.containsKey(name)) {
        throw RunlaneException.configurationInvalid(
            "a secret cannot replace the variable %s", name);
      }
      variables.put(name, value);
    });
    return this;
  }

  /** All of it. */
  public Map<String, String> toMap() {
    return Map.copyOf(variables);
  }

  /** Whether a secret cannot have this name. */
  public static boolean isReserved(String name) {
    return isInherited(name)
        || isProxy(name)
        || isRun(name)
        || isSteering(name)
        || name.equals(MARKER);
  }

  /**
   * Whether the name means something to the loader ({@code LD_PRELOAD}), a shell ({@code BASH_ENV}, {@code IFS}) or an
   * interpreter ({@code NODE_OPTIONS}, {@code PYTHONPATH}): its value would decide what code runs, in the runtime's own
   * gate before the connector's program, too.
   */
  static boolean isSteering(String name) {
    return STEERING.contains(name) || STEERING_FAMILIES.stream().anyMatch(name::startsWith);
  }

  /** Whether a child with these variables records what its browser does. */
  static boolean isTraced(Map<String, String> variables) {
    return "1".equals(variables.get("PDPP_TRACE"));
  }

  static void requireVariable(String name, String value) {
    if (!NAME.matcher(name).matches()) {
      throw RunlaneException.configurationInvalid(
          "the name of a variable must match %s, but one does not", NAME);
    }
    if (value.indexOf('\0') >= 0) {
      throw RunlaneException.configurationInvalid("the variable %s holds NUL", name);
    }
  }

  private static boolean isInherited(String name) {
    return SYSTEM.contains(name)
        || CERTIFICATES.contains(name)
        || DISPLAY.contains(name)
        || name.startsWith(LOCALE);
  }

  /** Programs look at both spellings. */
  private static boolean isProxy(String name) {
    return PROXIES.contains(name.toUpperCase(Locale.ROOT));
  }

  private static boolean isRun(String name) {
    return name.startsWith(RUN);
  }

  /** Whether a connector may use the host's proxies. */
  public enum Proxies {
    /** It sees them. */
    APPROVED,
    /** It does not. */
    HIDDEN
  }
}
