/** wrangler.toml as this project writes it. */
import { readFileSync } from "node:fs";
import { parse } from "smol-toml";
import { refusedFailure } from "../failure.ts";

/** A database binding. */
export type D1Binding = {
  binding: string;
  database_name: string;
  database_id?: string;
  migrations_dir?: string;
};

/** A bucket binding. */
export type R2Binding = { binding: string; bucket_name: string };

/** A URL pattern that a Worker serves. A custom domain serves all URLs that no pattern matches. */
export type RoutePattern = string | { pattern: string; custom_domain: true };

/** Files that are deployed with a Worker. */
export type AssetsConfig = {
  directory: string;
  binding?: string;
  not_found_handling?: string;
  run_worker_first?: boolean | string[];
};

/** One Worker: the top level, or an environment. */
export type WorkerConfig = {
  name: string;
  main: string;
  workers_dev?: boolean;
  routes?: RoutePattern[];
  d1_databases?: D1Binding[];
  r2_buckets?: R2Binding[];
  /** An environment inherits the assets of the top level and cannot opt out. */
  assets?: AssetsConfig;
  vars?: Record<string, string>;
  /** Secrets that wrangler requires before it deploys the Worker. */
  secrets?: { required: string[] };
};

/** The file: the whole platform in one Worker, its previews, and one Worker for each domain. */
export type WranglerToml = WorkerConfig & {
  compatibility_date: string;
  compatibility_flags: string[];
  /** Whether functions keep their names when they are minified. */
  keep_names?: boolean;
  upload_source_maps?: boolean;
  previews?: {
    d1_databases?: D1Binding[];
    r2_buckets?: R2Binding[];
    vars?: Record<string, string>;
    observability?: object;
  };
  env: Record<string, WorkerConfig>;
};

/** The placeholder in wrangler.toml until someone creates a database. */
export const noDatabase = "00000000-0000-0000-0000-000000000000";

/** Reads the file. Throws a WRANGLER_TOML Failure if it is missing or is not TOML. */
export function readWranglerToml(path: string): WranglerToml {
  try {
    // This uses wrangler's parser directly, because loading wrangler takes a second.
    const toml = parse(readFileSync(path, "utf8"));
    // The parser's objects are not plain objects.
    return { env: {}, ...JSON.parse(JSON.stringify(toml)) };
  } catch (thrown) {
    const [why] = `${thrown instanceof Error ? thrown.message : thrown}`.split("\n");
    throw refusedFailure("WRANGLER_TOML", `Cannot read ${path}: ${why}`);
  }
}

/** Returns the pattern of a route, such as `api.example.com/iam/*`. For a custom domain, it is the host. */
export const patternOf = (route: RoutePattern) =>
  typeof route === "string" ? route : route.pattern;

/**
 * Returns the environment whose Worker serves a URL: the one with the longest pattern, as Cloudflare chooses. A custom
 * domain counts only if no pattern matches. Returns undefined if no Worker serves the URL.
 */
export function environmentFor(toml: WranglerToml, url: string): string | undefined {
  const { host, pathname } = new URL(url);
  const matches = Object.entries(toml.env).flatMap(([name, { routes = [] }]) =>
    routes
      .filter((route) => fits(route, host, pathname))
      .map((route) => ({ name, length: typeof route === "string" ? route.length : 0 })),
  );
  return matches.sort((a, b) => b.length - a.length)[0]?.name;
}

function fits(route: RoutePattern, host: string, pathname: string): boolean {
  if (typeof route !== "string") return route.pattern === host;
  const address = `${host}${pathname}`;
  return route.endsWith("*") ? address.startsWith(route.slice(0, -1)) : address === route;
}
