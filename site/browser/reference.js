/** Shows the API in the viewer (Swagger UI, loaded before this script as the global `SwaggerUIBundle`). */

const isDark = matchMedia("(prefers-color-scheme: dark)");

/** Settings of the viewer. They keep it from sending anything to another host, or loading anything from one. */
const settings = {
  dom_id: "#reference",
  deepLinking: true,
  docExpansion: "none",
  validatorUrl: null,
  persistAuthorization: true,
  tryItOutEnabled: true,
  displayRequestDuration: true,
  defaultModelsExpandDepth: 0,
  plugins: [scrollBelowBar],
};

/** The viewer would scroll an operation to the top of the window, behind the bar. */
function scrollBelowBar() {
  const scrollToElement = () => (element) => element.scrollIntoView();
  return { statePlugins: { layout: { wrapActions: { scrollToElement } } } };
}

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

/**
 * The viewer sends the example of a parameter unless the reader deletes it. A filter that no one chose would hide rows,
 * so the example of an optional parameter moves into its description.
 */
function withoutOptionalExamples(api) {
  const text = (example) => (typeof example === "string" ? example : JSON.stringify(example));
  const shown = (parameter) => {
    const { example, ...rest } = parameter;
    if (example === undefined || parameter.required) return parameter;
    return { ...rest, description: `${rest.description} Example: \`${text(example)}\`` };
  };
  const mapped = (entries, change) =>
    Object.fromEntries(Object.entries(entries ?? {}).map(([key, entry]) => [key, change(entry)]));
  const operation = (part) =>
    part?.parameters ? { ...part, parameters: part.parameters.map(shown) } : part;
  const parameters = mapped(api.components?.parameters, shown);
  return {
    ...api,
    paths: mapped(api.paths, (item) => mapped(item, operation)),
    components: { ...api.components, parameters },
  };
}

/** The person's own choice, which the bar keeps, or that of the system. */
function chooseColors() {
  const { theme } = document.documentElement.dataset;
  const isChosenDark = (theme ?? (isDark.matches ? "dark" : "light")) === "dark";
  document.documentElement.classList.toggle("dark-mode", isChosenDark);
}

try {
  chooseColors();
  isDark.addEventListener("change", chooseColors);
  window.addEventListener("theme", chooseColors);
  const answer = await fetch("/openapi.json");
  if (!answer.ok) throw new Error(`/openapi.json answers ${answer.status}`);
  const api = withoutOptionalExamples(withReachableServers(await answer.json()));
  const viewer = SwaggerUIBundle({ ...settings, spec: api });
  // The viewer reads the address only once, but the search of the bar leads to operations on the same page.
  window.addEventListener("hashchange", () =>
    viewer.layoutActions.parseDeepLinkHash(location.hash),
  );
} catch (error) {
  const notice = document.createElement("p");
  notice.className = "notice";
  notice.textContent = `The reference cannot be shown: ${error.message}`;
  document.querySelector("#reference")?.append(notice);
}
