/** Calls every RPC that is served, and records what each call costs in D1. */
import { type DescMethod, getOption, hasOption } from "@bufbuild/protobuf";
import { services } from "../../schema/descriptors.ts";
import { http } from "../../schema/gen/google/api/annotations_pb.js";
import { unimplemented_reason } from "../../schema/gen/platform/annotations/v1/annotations_pb.js";
import type { Answer, BenchPlatform } from "../stage.ts";

/**
 * The kind of a case, which decides its goals. An `open` case names no place, so that the caller's permissions have to
 * be read first. A `whole` case returns everything without pages, as version 1 does by its contract. An `import` case
 * writes as many rows as it receives. A `preview` reads its scope, a page of tags, then their moves, and then what is known of their
 * images. A case of `batches` reads a whole repository and writes it in batches.
 */
export type CaseKind =
  | "get"
  | "open get"
  | "list"
  | "open list"
  | "preview"
  | "grants"
  | "write"
  | "import"
  | "batches"
  | "whole"
  | "open whole";

/** One case of an RPC at one size, as `--json` prints it. */
export interface CostRecord {
  /** The RPC, such as `platform.registry.v2.TagsService/ListTags`, or a path of the registry host. */
  rpc: string;
  case: string;
  /** The rows of the resource. */
  rows: number;
  /** The rows of a page, or 0 if there are no pages. */
  pageSize: number;
  roundTrips: number;
  rowsRead: number;
  rowsWritten: number;
}

/** A measured case, with additional data for the goals. */
export interface MeasuredCase extends CostRecord {
  kind: CaseKind;
  /** The rows in the response, or 0 if it is not a list. */
  answered: number;
  /** Errors in the response itself, such as a wrong total. */
  wrong: string[];
}

type Json = Record<string, unknown>;

/** Every RPC that is served, by its full name. */
export const servedRpcs: ReadonlyMap<string, DescMethod> = new Map(
  services
    .flatMap(({ methods }) => methods)
    .filter(
      (method) =>
        !hasOption(method, unimplemented_reason) && !method.parent.typeName.startsWith("grpc."),
    )
    .map((method) => [`${method.parent.typeName}/${method.name}`, method]),
);

/** Returns the RPC of a name without `platform.`. Throws an Error if it is not served. */
export function methodOf(name: string): DescMethod {
  const method = servedRpcs.get(`platform.${name}`);
  if (!method) throw new Error(`there is no RPC platform.${name} that is served`);
  return method;
}

/** RPCs whose request does not fit in a REST path, because a query cannot contain lists of messages. */
const onlyConnect = ["ListResolvedVulnsReports"];

/** Returns how an RPC is called: over REST if it has a path, otherwise over Connect. */
function routeOf(method: DescMethod, request: Json) {
  const rule = hasOption(method, http) ? getOption(method, http) : undefined;
  if (typeof rule?.pattern.value !== "string" || onlyConnect.includes(method.name)) {
    return { verb: "POST", path: `/${method.parent.typeName}/${method.name}`, body: request };
  }
  const left = structuredClone(request);
  const path = rule.pattern.value.replaceAll(/\{([a-z_.]+)(?:=[^}]*)?\}/g, (_, field: string) =>
    take(
      left,
      field.replaceAll(/_([a-z])/g, (__, letter: string) => letter.toUpperCase()).split("."),
    ),
  );
  const verb = String(rule.pattern.case).toUpperCase();
  if (rule.body === "*") return { verb, path, body: left };
  const field = method.input.fields.find(({ name }) => name === rule.body)?.jsonName;
  const body = field === undefined ? undefined : (left[field] ?? {});
  if (field !== undefined) delete left[field];
  const query = String(new URLSearchParams(pairsOf(left, "")));
  return { verb, path: query === "" ? path : `${path}?${query}`, body };
}

function take(json: Json, [first = "", ...rest]: string[]): string {
  if (rest.length > 0) return take(json[first] as Json, rest);
  const value = json[first];
  delete json[first];
  return String(value ?? "");
}

function pairsOf(json: Json, prefix: string): [string, string][] {
  return Object.entries(json).flatMap(([name, value]): [string, string][] => {
    const key = prefix + name;
    if (Array.isArray(value)) return value.map((item) => [key, String(item)]);
    if (typeof value === "object" && value !== null) return pairsOf(value as Json, `${key}.`);
    return [[key, String(value)]];
  });
}

/** The name and the kind of a case. */
export interface CallCase {
  name: string;
  kind: CaseKind;
  pageSize?: number;
  /** The token of the caller. The default is that of the organization's owner. An empty token is for a public RPC. */
  token?: string;
  /** Additional headers of the request. */
  headers?: Record<string, string>;
}

/** Makes calls as the owner of the organization, and records the cost of each case. */
export class MeasuringCaller {
  readonly measured: MeasuredCase[] = [];
  readonly #stage: BenchPlatform;
  /** Returns the number of rows of the resource of an RPC. */
  readonly rowsOf: (rpc: string) => number;
  /** The token of the organization's owner. */
  readonly owner: string;

  constructor(platform: BenchPlatform, owner: string, rowsOf: (rpc: string) => number) {
    this.#stage = platform;
    this.owner = owner;
    this.rowsOf = rowsOf;
  }

  /** Calls an RPC (without `platform.`). Throws an Error unless it returns 200, or 429 if `mayBeMuch` is set. */
  ask(rpc: string, request: Json, token = this.owner, mayBeMuch = false): Promise<Answer> {
    const { verb, path, body } = routeOf(methodOf(rpc), request);
    const sent = body === undefined ? {} : { body };
    return this.#stage.call(token, path, { method: verb, ...sent, mayBeMuch });
  }

  /** Calls an RPC as {@link ask} does, and records the cost as a case. */
  async measure(rpc: string, { name, kind, pageSize = 0, token }: CallCase, request: Json) {
    // Version 1 returns an error if a response would be too large. In that case, the error is measured.
    const mayBeMuch = kind === "whole" || kind === "open whole";
    const answer = await this.ask(rpc, request, token, mayBeMuch);
    return this.keep(`platform.${rpc}`, { name, kind, pageSize }, answer);
  }

  /** Measures a read that is not a list. */
  get(rpc: string, request: Json, name = "", token = this.owner) {
    return this.measure(rpc, { name, kind: "get", token }, request);
  }

  write(rpc: string, request: Json, name = "", token = this.owner) {
    return this.measure(rpc, { name, kind: "write", token }, request);
  }

  /** Records the cost of a path of the registry host. */
  async path(path: string, name: string, call: string, token = this.owner) {
    return this.keep(path, { name, kind: "get" }, await this.#stage.call(token, call));
  }

  keep(rpc: string, { name, kind, pageSize = 0 }: CallCase, answer: Answer) {
    const { body = {} } = answer;
    const list = Object.values(body).find((value) => Array.isArray(value));
    const measured: MeasuredCase = {
      rpc,
      case: name,
      rows: this.rowsOf(rpc),
      pageSize,
      ...answer.cost,
      kind,
      answered: list?.length ?? 0,
      wrong: [],
    };
    this.measured.push(measured);
    return { body: body as Json & { uid: string; id: string }, measured };
  }

  /** Throws an Error if an RPC that is served has no case. */
  requireAll(): void {
    const seen = new Set(this.measured.map(({ rpc }) => rpc));
    const missing = [...servedRpcs.keys()].filter((rpc) => !seen.has(rpc));
    if (missing.length > 0) throw new Error(`there is no case for ${missing.join(", ")}`);
  }
}
