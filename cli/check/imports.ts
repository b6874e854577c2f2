/** Who may import whom: the table of docs/ARCHITECTURE.md, and what in the tree breaks it. */
import { readFileSync } from "node:fs";
import { posix } from "node:path";

/** Rooms under src that are no domain. Every other folder there is one. */
const shelves = ["aip", "auth", "paging", "outbox", "rpc"];

/** What a room may import besides itself and libraries. */
const table: Record<string, string[]> = {
  schema: [],
  config: [],
  aip: ["schema", "config"],
  auth: ["aip", "schema", "config"],
  paging: ["auth", "aip", "schema", "config"],
  outbox: ["auth", "aip", "schema", "config"],
  rpc: ["paging", "auth", "aip", "schema", "config"],
  domain: ["rpc", "paging", "auth", "aip", "outbox", "schema", "config"],
  platform: ["rpc", "config"],
  site: [],
  client: [],
  cli: ["schema", "site", "client"],
};

/** A room's kind, its row in the table, and its name: domains differ by name only. */
type Room = { kind: string; name: string };

/** The room of a path relative to the project, or undefined where the table says nothing. */
function roomOf(path: string): Room | undefined {
  const [top = "", second = ""] = path.split("/");
  if (["schema", "client", "cli", "site"].includes(top)) return { kind: top, name: top };
  if (top !== "src") return undefined;
  if (path === "src/config.ts") return { kind: "config", name: "config" };
  if (path === "src/platform.ts") return { kind: "platform", name: "platform" };
  return { kind: shelves.includes(second) ? second : "domain", name: second };
}

/** Parts of schema that run on Node: a Worker with one of them would carry the descriptor of every proto. */
const forNode = /^schema\/(?:descriptors\.ts|describe\/|openapi\/|client\/|scim\/)/;

const inWorkers = /^(?:src\/|schema\/(?:options\.ts|tables\/|validation\/))/;

const patterns = [
  // import … from, export … from, over several lines as well
  /(?:^|[;}\n])[ \t]*(?:import|export)\s+[\w$*{}\s,]*?\bfrom\s*["']([^"'\n]+)["']/g,
  /(?:^|[;}\n])[ \t]*import\s*["']([^"'\n]+)["']/g,
  /\b(?:import|require)\s*\(\s*["'`]([^"'`\n]+)["'`]/g,
];

/** Everything that a module's text imports, types too. */
export function importsOf(text: string): string[] {
  return patterns.flatMap((pattern) => [...text.matchAll(pattern)].map(([, name = ""]) => name));
}

/** What is wrong with one import, or undefined. */
function breach(from: string, specifier: string): string | undefined {
  const room = roomOf(from);
  if (!room) return undefined;
  if (/^[#/]|^file:/.test(specifier)) return `${from} imports ${specifier}: name it relatively`;
  const isClient = /^platform-api\/client\b/.test(specifier);
  if (room.kind === "client" && !specifier.startsWith(".")) {
    // It is published without dependencies, and one entry is for Node only.
    const isNode = from === "client/node.ts" && specifier.startsWith("node:");
    return isNode ? undefined : `${from} imports ${specifier}: client has no libraries`;
  }
  if (!specifier.startsWith(".") && !isClient) return undefined;
  const to = isClient ? "client/index.ts" : posix.join(posix.dirname(from), specifier);
  const target = roomOf(to);
  if (inWorkers.test(from) && forNode.test(to)) return `${from} imports ${to}, which is for Node`;
  if (target && room.kind === target.kind && room.name === target.name) return undefined;
  if (target && table[room.kind]?.includes(target.kind)) return undefined;
  if (room.kind === "platform" && /^src\/[a-z]+\/worker\.ts$/.test(to)) return undefined;
  const allowed = table[room.kind]?.join(", ") || "libraries only";
  return `${from} imports ${to}: ${room.name} may import ${allowed}`;
}

/** What is wrong with the imports of one file; `path` is relative to the project. */
export function importBreaches(path: string, text: string): string[] {
  const found = importsOf(text).flatMap((specifier) => breach(path, specifier) ?? []);
  if (path.startsWith("src/") && /\bimport\s*\(\s*[^"'`\s]/.test(text)) {
    found.push(`${path} imports what only running it tells`);
  }
  return found;
}

/** What is wrong with the imports of these files of a project. */
export const checkImports = (root: string, paths: string[]) =>
  paths.flatMap((path) => importBreaches(path, readFileSync(posix.join(root, path), "utf8")));
