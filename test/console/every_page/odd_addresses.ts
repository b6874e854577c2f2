/** Addresses that no page of the console links to. A link from somewhere else can contain anything. */
import { globSync, readFileSync } from "node:fs";
import { textFilters } from "../../../console/events/filters.ts";
import { routes } from "../../../console/frame/routes.ts";
import { hostileText, hostileTexts } from "../hostile_texts.ts";
import type { Visit } from "./visits.ts";

const values = [hostileTexts[0], "\0", hostileText(2_000), "-1", "__proto__", "%", "☃"];

/** Every parameter that a page reads, except those that choose what the page is about. */
function parameterNames(): string[] {
  const found = globSync("console/**/*.{ts,tsx}").flatMap((file) =>
    [...readFileSync(file, "utf8").matchAll(/\bget\("(\w+)"\)/g)].map(([, name = ""]) => name),
  );
  const names = new Set([...found, ...Object.keys(textFilters)]);
  return [...names].filter((name) => !["view", "group", "invite_code"].includes(name));
}

/** The address with a value that makes no sense for each parameter that it does not have. */
function withOddParameters(address: string, names: readonly string[]): string {
  const [path = "", query = ""] = address.split("?");
  const parameters = new URLSearchParams(query);
  for (const [at, name] of names.entries())
    if (!parameters.has(name)) parameters.set(name, values[at % values.length] ?? "");
  return `${path}?${parameters}`;
}

/** Addresses with odd parameters, and those of resources that do not exist or cannot exist. */
export function oddVisits(visits: readonly Visit[], organization: string): Visit[] {
  const names = parameterNames();
  const unknown = `${organization}/0123456789abcdef/0123456789abcdef`;
  const rests = [unknown, "%00", "%E0%A4%A", encodeURIComponent(hostileText(2_000))];
  const groups = [unknown, "\0", hostileText(2_000)];
  const wrong = routes.flatMap(({ path }) =>
    path.endsWith("/*")
      ? rests.map((rest) => `${path.slice(0, -1)}${rest}?group=${organization}`)
      : groups.map((group) => `${path}?group=${encodeURIComponent(group)}`),
  );
  const addresses = [
    ...visits.map(({ address }) => withOddParameters(address, names)),
    ...wrong,
    `/?invite_code=${encodeURIComponent(hostileText(2_000))}`,
  ];
  return addresses.map((address) => ({ address, isAlone: true }));
}
