/** Turns the `google.api.http` options into REST routes, as regular expressions for itty-router. */
import { httpRules } from "../../schema/options.ts";
import type { Rpc, Service } from "./service.ts";

/** One HTTP rule of an RPC. */
export interface Route {
  rpc: Rpc;
  verb: string;
  /** The path as in the proto: `/iam/v2/groups/{group.uid=**}`. */
  template: string;
  path: RegExp;
  /** The field paths of the groups in the pattern, in order. Group n is called `vn`. */
  variables: string[];
  /** The request field that is the body. `*` is the whole request, and an empty text stands for none. */
  body: string;
}

const variable = /\{([a-z_.]+)(?:=([^}]*))?\}/g;
const escapeRegExp = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/**
 * The pattern of a template. `**` matches one or more segments. At the end of a path with a method other than
 * GET it also matches nothing: `POST /iam/v2/groups` creates an organization.
 */
function compileTemplate(template: string, verb: string): { path: RegExp; variables: string[] } {
  const variables: string[] = [];
  let source = "";
  let position = 0;
  for (const match of template.matchAll(variable)) {
    const [whole, field = "", shape = "*"] = match;
    source += escapeRegExp(template.slice(position, match.index));
    position = match.index + whole.length;
    const group = `(?<v${variables.length}>${shape === "**" ? ".+?" : "[^/]+"})`;
    variables.push(field);
    const optional = shape === "**" && position === template.length && verb !== "get";
    source = optional ? `${source.replace(/\/$/, "")}(?:/${group})?` : source + group;
  }
  source += escapeRegExp(template.slice(position));
  return { path: new RegExp(`^${source}/?$`), variables };
}

/** The number of letters that a template fixes. Templates with more letters are tried first. */
const literalLength = (template: string) => template.replace(variable, "").length;

const isLiteral = ({ variables }: Route) => variables.length === 0;

/** All routes of the services, the most specific first. `{uid=**}` therefore never matches `/readme`. */
export function sortedRoutes(services: Service[]): Route[] {
  const routes = services.flatMap(({ rpcs }) =>
    rpcs.flatMap((rpc) =>
      httpRules(rpc.method).map(({ verb, path: template, body }) => ({
        rpc,
        verb: verb.toUpperCase(),
        template,
        body,
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

/** The first three segments, without the custom verb after them. They are fixed in every template. */
const pathPrefix = (path: string) => /^(?:\/[^/:]+){0,3}/.exec(path)?.[0] ?? "";

/**
 * Groups the routes by the start of their paths, so that only a few of the patterns are tried. The order of
 * the routes stays the same. Throws if a template has a variable in this part.
 */
export function groupByPrefix(routes: Route[]): Map<string, Route[]> {
  const open = routes.find(({ template }) => pathPrefix(template).includes("{"));
  if (open) throw new Error(`${open.template} has a variable in its first three segments`);
  return Map.groupBy(routes, ({ template }) => pathPrefix(template));
}

/** The routes of {@link groupByPrefix} that can match a path. */
export const routesByPath = <T>(byPrefix: Map<string, T>, path: string): T | undefined =>
  byPrefix.get(pathPrefix(path));
