/** REST routes out of the `google.api.http` options, as regular expressions for itty-router. */
import { httpRules } from "../../schema/options.ts";
import type { Rpc, Service } from "./service.ts";

/** One HTTP rule of one RPC. */
export interface Route {
  rpc: Rpc;
  verb: string;
  /** As written in the proto, `/iam/v2/groups/{group.uid=**}`. */
  template: string;
  path: RegExp;
  /** Field paths of the pattern's groups, in order; group n is called `vn`. */
  variables: string[];
  /** The request field that is the body, `*` for the whole request, empty for none. */
  body: string;
}

const variable = /\{([a-z_.]+)(?:=([^}]*))?\}/g;
const escapeRegExp = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/**
 * The pattern of a template. `**` takes one or more segments. Where it ends the path of a verb
 * other than GET it may also be missing: `POST /iam/v2/groups` creates an organization.
 */
function compileTemplate(template: string, verb: string): { path: RegExp; variables: string[] } {
  const variables: string[] = [];
  let source = "";
  let at = 0;
  for (const found of template.matchAll(variable)) {
    const [whole, field = "", shape = "*"] = found;
    source += escapeRegExp(template.slice(at, found.index));
    at = found.index + whole.length;
    const group = `(?<v${variables.length}>${shape === "**" ? ".+?" : "[^/]+"})`;
    variables.push(field);
    const optional = shape === "**" && at === template.length && verb !== "get";
    source = optional ? `${source.replace(/\/$/, "")}(?:/${group})?` : source + group;
  }
  source += escapeRegExp(template.slice(at));
  return { path: new RegExp(`^${source}/?$`), variables };
}

/** Letters that a template fixes: the more, the earlier it is tried. */
const literalLength = (template: string) => template.replace(variable, "").length;

const isLiteral = ({ variables }: Route) => variables.length === 0;

/** Every route of the services, the most specific first, so that `{uid=**}` never takes `/readme`. */
export function sortedRoutes(services: Service[]): Route[] {
  const routes = services.flatMap(({ rpcs }) =>
    rpcs.flatMap((rpc) =>
      httpRules(rpc.method).map(({ verb, path: template, body }) => ({
        ...{ rpc, verb: verb.toUpperCase(), template, body },
        ...compileTemplate(template, verb),
      })),
    ),
  );
  return routes.sort(
    (a, b) =>
      Number(isLiteral(b)) - Number(isLiteral(a)) ||
      literalLength(b.template) - literalLength(a.template),
  );
}

/** The first three segments, without a verb behind them: fixed in every template. */
const pathPrefix = (path: string) => /^(?:\/[^/:]+){0,3}/.exec(path)?.[0] ?? "";

/**
 * The routes by how their paths begin, so that few of the many patterns have to be tried. Their order
 * stays. Throws where a template has a variable there.
 */
export function groupByPrefix(routes: Route[]): Map<string, Route[]> {
  const open = routes.find(({ template }) => pathPrefix(template).includes("{"));
  if (open) throw new Error(`${open.template} has a variable in its first three segments`);
  return Map.groupBy(routes, ({ template }) => pathPrefix(template));
}

/** Those of {@link groupByPrefix} that could take a path. */
export const routesByPath = <T>(byPrefix: Map<string, T>, path: string): T | undefined =>
  byPrefix.get(pathPrefix(path));
