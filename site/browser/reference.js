/** Shows the API in the viewer (Scalar, loaded before this script as the global `Scalar`). */

const isDark = matchMedia("(prefers-color-scheme: dark)");

/** Settings of the viewer. They keep it from sending anything to another host, or loading anything from one. */
const settings = {
  hideClientButton: true,
  showDeveloperTools: "never",
  hideDarkModeToggle: true,
  hideSearch: true,
  documentDownloadType: "none",
  withDefaultFonts: false,
  telemetry: false,
  proxyUrl: "",
  mcp: { disabled: true },
  agent: { disabled: true },
  persistAuth: true,
  modelsSectionLabel: "Schemas",
  orderSchemaPropertiesBy: "preserve",
  defaultHttpClient: { targetKey: "shell", clientKey: "curl" },
  hiddenClients: {
    ...{ c: true, clojure: true, csharp: true, dart: true, fsharp: true, http: true, java: true },
    ...{ kotlin: true, node: true, objc: true, ocaml: true, php: true, powershell: true, r: true },
    ...{ ruby: true, rust: true, swift: true },
    ...{ js: ["axios", "jquery", "ofetch", "xhr"], shell: ["wget"] },
    ...{ python: ["python3", "aiohttp", "httpx_async", "httpx_sync"] },
  },
};

/**
 * The API's own Worker serves the page, so the API has the address of the page: localhost, 127.0.0.1 or the
 * address of a preview. The addresses of the platform's other hosts stay unchanged.
 */
function withReachableServers(api) {
  const [first] = api.servers ?? [];
  if (!first) return api;
  const documentedOrigin = new URL(first.url, location.href).origin;
  const here = ({ url, ...rest }) => {
    const { origin } = new URL(url, location.href);
    return { ...rest, url: origin === documentedOrigin ? location.origin : url };
  };
  const withServers = (part) =>
    Array.isArray(part.servers) ? { ...part, servers: part.servers.map(here) } : part;
  const paths = Object.entries(api.paths ?? {}).map(([path, item]) => [
    path,
    Object.fromEntries(
      Object.entries(withServers(item)).map(([verb, operation]) => [
        verb,
        operation?.responses ? withServers(operation) : operation,
      ]),
    ),
  ]);
  return { ...withServers(api), paths: Object.fromEntries(paths) };
}

/** The scheme of nearly all operations: the one for which a person pastes a token. */
const preferredScheme = ({ security: [first] = [] }) => Object.keys(first ?? {})[0];

/** The person's own choice, which the bar keeps, or that of the system. */
const colors = () => {
  const { theme } = document.documentElement.dataset;
  return { forceDarkModeState: theme ?? (isDark.matches ? "dark" : "light") };
};

try {
  const answer = await fetch("/openapi.json");
  if (!answer.ok) throw new Error(`/openapi.json answers ${answer.status}`);
  const api = withReachableServers(await answer.json());
  const authentication = { preferredSecurityScheme: preferredScheme(api) };
  const all = () => ({ ...settings, ...colors(), content: api, authentication });
  const viewer = Scalar.createApiReference("#reference", all());
  const update = () => viewer.updateConfiguration(all());
  isDark.addEventListener("change", update);
  window.addEventListener("theme", update);
} catch (error) {
  const notice = document.createElement("p");
  notice.className = "notice";
  notice.textContent = `The reference cannot be shown: ${error.message}`;
  document.querySelector("#reference")?.append(notice);
}
