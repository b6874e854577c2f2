/**
 * Checks the code of others: the libraries of the lockfile, the copied protos, the actions of the workflows, and
 * libraries that fetch.
 */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";

/** Returns what is wrong with the code of others in this project. */
export function foreignCodeBreaches(root: string, files: string[]): string[] {
  const workflows = readdirSync(join(root, ".github/workflows")).map(
    (name) => `.github/workflows/${name}`,
  );
  const sources = files.filter((path) => path.startsWith("src/"));
  const textOf = (path: string) => readFileSync(join(root, path), "utf8");
  return [
    ...lockfileBreaches(textOf("package-lock.json")),
    ...protoBreaches(join(root, "schema/third_party")),
    ...workflows.flatMap((path) => actionBreaches(path, textOf(path))),
    ...sources.flatMap((path) => fetchBreaches(path, textOf(path))),
  ];
}

type Library = { engines?: unknown; deprecated?: string };

/** The most packages in the lockfile. See docs/DEPENDENCIES.md before you raise it. */
export const maxPackages = 720;

/**
 * `npm ci` warns about the engines and about a deprecation of a library. No one who runs it can change either. Each
 * package also takes time to install.
 */
export function lockfileBreaches(text: string): string[] {
  const { packages } = JSON.parse(text) as { packages: Record<string, Library> };
  const libraries = Object.entries(packages).filter(([path]) => path !== "");
  const isOver = libraries.length > maxPackages;
  return [
    ...(isOver
      ? [`package-lock.json: ${libraries.length} packages, and at most ${maxPackages} are allowed`]
      : []),
    ...libraries
      .filter(([, { deprecated }]) => deprecated !== undefined)
      .map(([path]) => `package-lock.json: ${path} is deprecated`),
    ...libraries
      .filter(([, { engines }]) => engines !== undefined)
      .map(([path]) => `package-lock.json: ${path} has engines. Run: node .ci/lockfile.ts`),
  ];
}

/** The protos of a package and its version, by their paths, with their SHA-256 digests. */
type ProtoSources = Record<string, Record<string, string>>;

/**
 * Protos of others are copies of the files that `sources.json` lists, byte for byte. Those of buf are generated, and
 * another check compares them.
 */
export function protoBreaches(folder: string): string[] {
  const list = readFileSync(join(folder, "sources.json"), "utf8");
  const listed = new Map(
    Object.values(JSON.parse(list) as ProtoSources).flatMap((files) => Object.entries(files)),
  );
  const stored = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((path) => path.replaceAll(sep, "/"))
    .filter((path) => path.endsWith(".proto") && !path.startsWith("buf/"))
    .sort();
  const digestOf = (path: string) =>
    createHash("sha256")
      .update(readFileSync(join(folder, path)))
      .digest("hex");
  return [
    ...stored
      .filter((path) => listed.get(path) !== digestOf(path))
      .map((path) => `schema/third_party/${path} is not the file that sources.json lists`),
    ...[...listed.keys()]
      .filter((path) => !stored.includes(path))
      .map((path) => `schema/third_party/${path} does not exist, and sources.json lists it`),
  ];
}

/** An action is named by the digest of its commit, because its tag can move. Its version follows as a comment. */
export function actionBreaches(path: string, text: string): string[] {
  return text.split("\n").flatMap((line, index) => {
    const [, action] = /\buses: (.*)$/.exec(line) ?? [];
    if (action === undefined || /^[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(action)) return [];
    return [
      `${path}:${index + 1}: ${action} is not pinned by the digest of a commit and its version`,
    ];
  });
}

/** A library that sends requests receives our fetch function, which keeps them from private networks. */
export function fetchBreaches(path: string, text: string): string[] {
  const fetches = /from "oauth4webapi"|\bcreateRemoteJWKSet\b/.test(text);
  const isHanded = /customFetch\]: (?:\(url|fetchCloud\b|newKeyFetcher)/.test(text);
  return fetches && !isHanded ? [`${path}: the library that fetches does not get our fetch`] : [];
}
