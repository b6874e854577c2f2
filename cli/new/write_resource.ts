/** Writes the four files of a new resource, its capabilities, and its lines in the domain's worker.ts and in the move. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { refusedFailure } from "../failure.ts";
import { filled, type Names } from "./names.ts";

const template = (name: string) =>
  readFileSync(new URL(`templates/${name}.txt`, import.meta.url), "utf8");

/** The paths of the four files of a resource, by their templates. */
export const filesOf = ({ domain, plural_snake }: Names) => ({
  proto: `schema/proto/platform/${domain}/v2/${plural_snake}.proto`,
  table: `schema/tables/${domain}/${plural_snake}.ts`,
  resource: `src/${domain}/${plural_snake}.ts`,
  test: `test/${domain}/${plural_snake}.test.ts`,
});

/** The numbers of a resource's capabilities, by what they allow. */
export type Capabilities = Record<"create" | "update" | "list" | "delete", number>;

const capabilityProto = "schema/proto/platform/capabilities/v1/capability.proto";

/** The tables whose rows a move of an organization copies. */
export const movedTables = "cli/move/tables.ts";

/**
 * Writes the resource's own files below `root`. Returns their paths and its capabilities. If the domain has no
 * services, or if one of the files exists, it throws a RESOURCE Failure and writes nothing.
 */
export function writeResource(
  root: string,
  names: Names,
): { written: string[]; capabilities: Capabilities } {
  const worker = `src/${names.domain}/worker.ts`;
  const read = (path: string) => readFileSync(join(root, path), "utf8");
  if (!existsSync(join(root, worker)) || !read(worker).includes(serviceList)) {
    throw refusedFailure(
      "RESOURCE",
      `${names.domain} is not a domain with services. Use one of ${domainsOf(root).join(", ")}.`,
    );
  }
  const files = Object.entries(filesOf(names));
  const there = files.map(([, path]) => path).filter((path) => existsSync(join(root, path)));
  if (there.length > 0) {
    throw refusedFailure(
      "RESOURCE",
      `${there.join(", ")} already exists. Choose another name, or change that resource.`,
    );
  }
  const [capabilityText, capabilities] = withCapabilities(read(capabilityProto), names);
  const texts: [path: string, text: string][] = [
    ...files.map(([name, path]): [string, string] => [path, filled(template(name), names)]),
    [worker, withService(read(worker), names)],
    [capabilityProto, capabilityText],
    [movedTables, withTable(read(movedTables), names)],
  ];
  for (const [path, text] of texts) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return { written: texts.map(([path]) => path), capabilities };
}

const serviceList = "export const services = [";

/** The domains whose Worker lists services. */
const domainsOf = (root: string) =>
  readdirSync(join(root, "src")).filter((name) => {
    const worker = join(root, "src", name, "worker.ts");
    return existsSync(worker) && readFileSync(worker, "utf8").includes(serviceList);
  });

/** Returns the tables of a move with that of a resource. It comes last, after the tables that its rows can refer to. */
function withTable(text: string, { plural_snake }: Names): string {
  const [start, end] = ["export const pathTables: PathTable[] = [", "\n];"];
  const last = text.indexOf(end, text.indexOf(start));
  return `${text.slice(0, last)}\n  byUid("${plural_snake}"),${text.slice(last)}`;
}

/** Returns worker.ts with the import of a service and its place in the list. Biome sorts and wraps the lines. */
function withService(text: string, { plural, plural_snake }: Names): string {
  const line = `import { ${plural}Service } from "./${plural_snake}.ts";\n`;
  const end = text.lastIndexOf("\nimport ") + 1;
  const after = text.indexOf("\n", text.indexOf(" from ", end)) + 1;
  const imported = text.slice(0, after) + line + text.slice(after);
  return imported.replace(serviceList, `${serviceList}${plural}Service, `);
}

const verbs = { create: "Create", update: "Change", list: "Read", delete: "Delete" } as const;

/**
 * Returns capability.proto with the capabilities of a resource. They get the numbers of a new hundred, and the next
 * bits.
 */
function withCapabilities(text: string, names: Names): [string, Capabilities] {
  const numbers = [...text.matchAll(/= (\d+) \[/g)].map(([, number]) => Number(number));
  const bits = [...text.matchAll(/\(bit\) = (\d+)/g)].map(([, bit]) => Number(bit));
  // The last capability has a separate number outside the hundreds.
  const [, highest = 0] = numbers.toSorted((a, b) => b - a);
  const first = 100 * (Math.floor(highest / 100) + 1);
  const entries = Object.entries(verbs).map(([verb, word], index) => ({
    verb,
    number: first + 1 + index,
    text: `  // ${word} ${names["plural words"]}.
  CAP_${names.CAPABILITY}_${verb.toUpperCase()} = ${first + 1 + index} [
    (name) = "${names.plural_snake}.${verb}",
    (bit) = ${Math.max(...bits) + 1 + index}
  ];
`,
  }));
  const values = entries.map((entry) => `${entry.text}\n`).join("");
  const last = text.slice(0, text.indexOf(`= ${Math.max(...numbers)} [`)).lastIndexOf("  //");
  const capabilities = Object.fromEntries(entries.map(({ verb, number }) => [verb, number]));
  return [text.slice(0, last) + values + text.slice(last), capabilities as Capabilities];
}

/** Built-in roles that read everything, and built-in roles that also create, change and delete. */
const readers = ["viewer", "console_viewer", "limited_owner"];
const writers = ["owner", "editor"];

/** Returns the statements that give the capabilities of a resource to the built-in roles. */
export function grants({ list, ...writing }: Capabilities): string {
  const grant = (roles: string[], numbers: number[]) => `UPDATE roles SET capabilities = (
	SELECT json_group_array(value) FROM (
		SELECT value FROM json_each(roles.capabilities) UNION SELECT value FROM json_each('${JSON.stringify(numbers)}')
	)
) WHERE length(uid) = 40 AND name IN (${roles.map((role) => `'${role}'`).join(", ")});
`;
  const all = [list, ...Object.values(writing)].sort((a, b) => a - b);
  return [grant(readers, [list]), grant(writers, all)].join("--> statement-breakpoint\n");
}
